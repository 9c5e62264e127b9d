import { useLayoutEffect, type RefObject } from 'react';

/** After a keyboard answer, the focus continues from the call's row, not from the top of the page. */
export function useFocusOfRow(asking: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = asking.current;
    const row = element?.closest('.call')?.querySelector<HTMLElement>('.call-row');
    return () => {
      if (element?.contains(document.activeElement)) row?.focus();
    };
  }, [asking]);
}
