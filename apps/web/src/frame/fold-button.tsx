import type { ReactNode } from 'react';

interface FoldButtonProps {
  className: string;
  isOpen: boolean;
  onToggle: () => void;
  /** The id of the element that it opens, if that does not follow directly. */
  opens?: string;
  children: ReactNode;
}

/** A line that opens and closes its content; its chevron, if it has one, is its own child. */
export function FoldButton({ className, isOpen, onToggle, opens, children }: FoldButtonProps) {
  return (
    <button
      type="button"
      className={className}
      aria-expanded={isOpen}
      aria-controls={isOpen ? opens : undefined}
      onClick={onToggle}
    >
      {children}
    </button>
  );
}
