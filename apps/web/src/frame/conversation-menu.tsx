import { useCallback, useState } from 'react';
import { useSession } from '../session/session.js';
import { IconButton } from './icon-button.js';
import { Popover } from './popover.js';

const LONGEST_TITLE = 200;

/** Rename and delete, for the conversation next to it. */
export function ConversationMenu({ id, title }: { id: string; title: string }) {
  const [shown, setShown] = useState<'closed' | 'choices' | 'rename' | 'delete'>('closed');
  const close = useCallback(() => setShown('closed'), []);
  return (
    <span className="menu">
      <IconButton
        icon="more"
        label={`Rename or delete “${title}”`}
        aria-expanded={shown !== 'closed'}
        aria-haspopup="dialog"
        onClick={() => setShown(shown === 'closed' ? 'choices' : 'closed')}
      />
      {shown === 'choices' && (
        <Popover label={title} onClose={close}>
          <button type="button" className="menu-item" onClick={() => setShown('rename')}>
            Rename
          </button>
          <button type="button" className="menu-item menu-item-bad" onClick={() => setShown('delete')}>
            Delete
          </button>
        </Popover>
      )}
      {shown === 'rename' && <Rename id={id} title={title} onClose={close} />}
      {shown === 'delete' && <Delete id={id} onClose={close} />}
    </span>
  );
}

function Rename({ id, title, onClose }: { id: string; title: string; onClose: () => void }) {
  const { list } = useSession();
  const [text, setText] = useState(title);
  return (
    <Popover label="Rename" onClose={onClose}>
      <form
        className="menu-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '' && text.trim() !== title) void list.rename(id, text.trim());
          onClose();
        }}
      >
        <label>
          New title
          <input
            className="field"
            value={text}
            maxLength={LONGEST_TITLE}
            onFocus={(event) => event.target.select()}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <span className="menu-actions">
          <button type="button" className="button" onClick={onClose}>
            Keep
          </button>
          <button type="submit" className="button button-main">
            Rename
          </button>
        </span>
      </form>
    </Popover>
  );
}

function Delete({ id, onClose }: { id: string; onClose: () => void }) {
  const { list, conversations, router } = useSession();
  const remove = async () => {
    onClose();
    const neighbour = neighbourOf(id);
    if (!(await list.remove(id))) return;
    conversations.forget(id);
    const route = router.route.get();
    if ('conversationId' in route && route.conversationId === id) router.openNew();
    // What had the focus is gone with the conversation.
    (neighbour ?? document.querySelector<HTMLElement>('.composer textarea'))?.focus();
  };
  return (
    <Popover label="Delete" onClose={onClose}>
      <p className="menu-text">
        Delete this conversation? What runs in it is stopped, and its messages are removed.
      </p>
      <span className="menu-actions">
        <button type="button" className="button" onClick={onClose}>
          Keep
        </button>
        <button type="button" className="button button-bad" onClick={() => void remove()}>
          Delete
        </button>
      </span>
    </Popover>
  );
}

/** The row after it in the list, or the one before. */
function neighbourOf(id: string): HTMLElement | undefined {
  const rows = [...document.querySelectorAll<HTMLElement>('.conversation > a')];
  const at = rows.findIndex((row) => row.getAttribute('href') === `#/c/${id}`);
  return at === -1 ? undefined : (rows[at + 1] ?? rows[at - 1]);
}
