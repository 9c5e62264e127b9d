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
  // Once: the focus must not move while the page around it is rendered again.
  useEffect(() => {
    const opener = document.activeElement;
    const first = box.current?.querySelector<HTMLElement>('[data-focus]');
    (first ?? box.current?.querySelector<HTMLElement>('input, button'))?.focus();
    const listener = (event: PointerEvent) => onPointerDown(event);
    document.addEventListener('pointerdown', listener);
    return () => {
      document.removeEventListener('pointerdown', listener);
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <div
      ref={box}
      className="popover"
      role="dialog"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
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
