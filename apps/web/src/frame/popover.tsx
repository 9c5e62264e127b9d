import { useEffect, useEffectEvent, useLayoutEffect, useRef, type ReactNode } from 'react';

interface PopoverProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A small box of controls next to the button that opened it. Esc or a click elsewhere closes it. The focus goes to what has
 * `data-focus`, or else to the first control.
 */
export function Popover({ label, onClose, children }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place(box.current), []);
  const onPointerDown = useEffectEvent((event: PointerEvent) => {
    if (!box.current?.contains(event.target as Node)) onClose();
  });
  // Wherever the focus is: what had it may be gone, and outside Esc stops a turn.
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
  });
  // Once: the focus must not move while the page around it is rendered again.
  useEffect(() => {
    const opener = document.activeElement;
    const first = box.current?.querySelector<HTMLElement>('[data-focus]');
    (first ?? box.current?.querySelector<HTMLElement>('input, button'))?.focus();
    const listener = (event: PointerEvent) => onPointerDown(event);
    const keyListener = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener('pointerdown', listener);
    document.addEventListener('keydown', keyListener, { capture: true });
    return () => {
      document.removeEventListener('pointerdown', listener);
      document.removeEventListener('keydown', keyListener, { capture: true });
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <div ref={box} className="popover" role="dialog" aria-label={label}>
      {children}
    </div>
  );
}

const GAP_PX = 4;

/** Below its button, or above if there is no room. Its position is fixed, because lists that scroll would clip it. */
function place(box: HTMLElement | null): void {
  const anchor = box?.parentElement?.getBoundingClientRect();
  if (!box || !anchor) return;
  const { offsetHeight: height, offsetWidth: width } = box;
  const isRoomBelow = anchor.bottom + GAP_PX + height < window.innerHeight;
  box.style.top = `${isRoomBelow ? anchor.bottom + GAP_PX : Math.max(GAP_PX, anchor.top - GAP_PX - height)}px`;
  box.style.left = `${Math.max(GAP_PX, Math.min(anchor.right - width, window.innerWidth - width - GAP_PX))}px`;
}
