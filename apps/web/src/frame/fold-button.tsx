import type { ReactNode } from 'react';

interface FoldButtonProps {
  className: string;
  isOpen: boolean;
  onToggle: () => void;
  /** Id of what it opens, if that does not follow at once. */
  opens?: string;
  children: ReactNode;
}

/** A line that opens and closes what belongs to it; its chevron, if it has one, is a child of its own. */
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
