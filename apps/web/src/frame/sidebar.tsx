import { useDeferredValue, useState, type RefObject } from 'react';
import { activeTurn, waitsForPerson } from '../conversation/conversations.js';
import { useObservable, useSession } from '../session/session.js';
import { groupByDay } from '../format/days.js';
import { ConversationRow } from './conversation-row.js';
import { Icon } from './icon.js';
import { IconButton } from './icon-button.js';
import { SidebarFoot } from './sidebar-foot.js';
import { titleOf } from './titles.js';

interface SidebarProps {
  currentId: string | undefined;
  search: RefObject<HTMLInputElement | null>;
  onHide: () => void;
  onNew: () => void;
  onOpen: (conversationId: string) => void;
  onShowKeys: () => void;
}

export function Sidebar({ currentId, search, onHide, onNew, onOpen, onShowKeys }: SidebarProps) {
  const [filter, setFilter] = useState('');
  return (
    <aside className="sidebar" aria-label="Conversations">
      <div className="bar">
        <Icon name="switch" className="mark" />
        <span className="brand grow">Switchyard</span>
        <IconButton icon="side" label="Hide conversations" onClick={onHide} />
      </div>
      <div className="sidebar-top">
        <button type="button" className="new-button" onClick={onNew}>
          <Icon name="plus" />
          <span className="grow">New conversation</span>
          <kbd>Alt N</kbd>
        </button>
        <label className="search-box">
          <Icon name="search" />
          <input
            ref={search}
            type="search"
            placeholder="Search"
            aria-label="Search the titles"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || filter === '') return;
              // Here Esc empties the field; it must not also stop a turn.
              event.stopPropagation();
              setFilter('');
            }}
          />
          <kbd>Ctrl K</kbd>
        </label>
      </div>
      <Rows currentId={currentId} filter={useDeferredValue(filter)} onOpen={onOpen} />
      <SidebarFoot onShowKeys={onShowKeys} />
    </aside>
  );
}

function Rows({
  currentId,
  filter,
  onOpen,
}: {
  currentId?: string;
  filter: string;
  onOpen: (id: string) => void;
}) {
  const { list, conversations } = useSession();
  const { conversations: summaries, isLoaded, hasMore, problem } = useObservable(list.state);
  const held = useObservable(conversations.held);
  const titled = summaries.map((summary) => ({ ...summary, title: titleOf(summary, held.get(summary.id)) }));
  const wanted = filter.trim().toLowerCase();
  const found = titled.filter((one) => one.title.toLowerCase().includes(wanted));
  const isRunning = (id: string, status: string | undefined) => {
    const one = held.get(id);
    return one?.isLoaded ? activeTurn(one.view) !== undefined : status === 'running' || status === 'queued';
  };
  const needsPerson = (id: string, status: string | undefined) => {
    const one = held.get(id);
    return one?.isLoaded ? waitsForPerson(activeTurn(one.view)) : status === 'awaiting_input';
  };
  return (
    <nav className="conversations" aria-label="Conversation list">
      {problem && <p className="conversations-note">{problem}</p>}
      {isLoaded && titled.length === 0 && (
        <p className="conversations-note">Your conversations will be listed here.</p>
      )}
      {titled.length > 0 && found.length === 0 && (
        <p className="conversations-note">No title has these letters.</p>
      )}
      {groupByDay(found, new Date()).map((group) => (
        <section key={group.name} aria-label={group.name}>
          <h2>{group.name}</h2>
          <ul>
            {group.items.map(({ id, title, status }) => (
              <ConversationRow
                key={id}
                id={id}
                title={title}
                isCurrent={id === currentId}
                isRunning={isRunning(id, status)}
                needsPerson={needsPerson(id, status)}
                onOpen={onOpen}
              />
            ))}
          </ul>
        </section>
      ))}
      {hasMore && (
        <button type="button" className="button button-ghost" onClick={() => void list.readMore()}>
          Show older
        </button>
      )}
    </nav>
  );
}
