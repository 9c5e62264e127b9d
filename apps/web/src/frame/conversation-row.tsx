import { memo } from 'react';
import { ConversationMenu } from './conversation-menu.js';
import { Icon } from './icon.js';

interface ConversationRowProps {
  id: string;
  title: string;
  isCurrent: boolean;
  isRunning: boolean;
  needsPerson: boolean;
  onOpen: (id: string) => void;
}

export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { id, title, isCurrent, isRunning, needsPerson, onOpen } = props;
  return (
    <li className="conversation">
      <a href={`#/c/${id}`} aria-current={isCurrent ? 'page' : undefined} onClick={() => onOpen(id)}>
        <span className="grow cut" title={title}>
          {title}
        </span>
        {needsPerson && <span className="tag tag-accent">Needs you</span>}
        {isRunning && !needsPerson && (
          <>
            <Icon name="running" />
            <span className="visually-hidden">running</span>
          </>
        )}
      </a>
      <ConversationMenu id={id} title={title} />
    </li>
  );
});
