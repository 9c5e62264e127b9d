import { useId, useState, type ReactNode } from 'react';
import { FoldButton } from './fold-button.js';
import { Icon } from './icon.js';

interface AsideNoteProps {
  /** The line that opens it. */
  title: ReactNode;
  /** It describes current activity. */
  isMoving?: boolean;
  children: ReactNode;
}

/** Optional information next to the answer: one quiet line that opens. */
export function AsideNote({ title, isMoving = false, children }: AsideNoteProps) {
  const [isOpen, setOpen] = useState(false);
  const contentId = useId();
  return (
    <div className="aside-note">
      <FoldButton className="aside-head" isOpen={isOpen} onToggle={() => setOpen(!isOpen)} opens={contentId}>
        <Icon name="chevron" className="chevron" />
        <span>{title}</span>
        {isMoving && <span className="cursor" aria-hidden="true" />}
      </FoldButton>
      {isOpen && (
        <div id={contentId} className="aside-text">
          {children}
        </div>
      )}
    </div>
  );
}
