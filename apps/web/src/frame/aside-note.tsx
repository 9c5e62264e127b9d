import { useId, useState, type ReactNode } from 'react';
import { Icon } from './icon.js';

interface AsideNoteProps {
  /** The line that opens it. */
  title: ReactNode;
  /** It is about what is happening right now. */
  isMoving?: boolean;
  children: ReactNode;
}

/** What stands beside the answer and need not be read: one quiet line that opens. */
export function AsideNote({ title, isMoving = false, children }: AsideNoteProps) {
  const [isOpen, setOpen] = useState(false);
  const contentId = useId();
  return (
    <div className="aside-note">
      <button
        type="button"
        className="aside-head"
        aria-expanded={isOpen}
        aria-controls={isOpen ? contentId : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="chevron" className="chevron" />
        <span>{title}</span>
        {isMoving && <span className="cursor" aria-hidden="true" />}
      </button>
      {isOpen && (
        <div id={contentId} className="aside-text">
          {children}
        </div>
      )}
    </div>
  );
}
