import { useState } from 'react';
import type { ListedLetter } from '#contracts';
import { formatBytes } from '../format/bytes.js';
import { Popover } from '../frame/popover.js';
import { Problem, useAction } from './action.js';
import { operatorApi } from './operator-api.js';

interface LookProps {
  letter: ListedLetter;
  onDiscard: () => void;
}

/** Ids, times and sizes: the gateway keeps nothing else of a message. */
export function Look({ letter, onDiscard }: LookProps) {
  const { _id: id, message_id, queue, size, at } = letter;
  const [content, setContent] = useState<string>();
  const look = useAction(
    () => operatorApi.letter(id),
    (whole) => setContent(contentText(whole.content)),
  );
  const discard = useAction(() => operatorApi.discard(id), onDiscard);
  const isOpen = content !== undefined || look.problem !== undefined;
  const close = () => {
    setContent(undefined);
    look.forget();
    discard.forget();
  };
  return (
    <span className="menu">
      <button
        type="button"
        className="button button-ghost"
        aria-label={`Look at the message from ${queue}`}
        aria-expanded={isOpen}
        onClick={look.run}
      >
        Look
      </button>
      {isOpen && (
        <Popover label="Dead letter" onClose={close}>
          <div className="ops-letter">
            <p className="quiet">
              Message <code>{message_id}</code>, {size === undefined ? 'size unknown' : formatBytes(size)},
              died {at}
            </p>
            {content !== undefined && <pre>{content}</pre>}
          </div>
          <Problem words={look.problem ?? discard.problem} />
          <span className="menu-actions">
            <button type="button" className="button" onClick={close}>
              Close
            </button>
            <button
              type="button"
              className="button button-bad"
              disabled={discard.isBusy}
              onClick={discard.run}
            >
              Discard
            </button>
          </span>
        </Popover>
      )}
    </span>
  );
}

/** Asks before it replays. */
export function Replay({ letter: { _id: id, queue }, onDone }: { letter: ListedLetter; onDone: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const label = `Replay the message from ${queue}`;
  const replay = useAction(
    () => operatorApi.replay(id),
    () => {
      setOpen(false);
      onDone();
    },
  );
  const close = () => {
    setOpen(false);
    replay.forget();
  };
  return (
    <span className="menu">
      <button
        type="button"
        className="button button-ghost"
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        Replay
      </button>
      {isOpen && (
        <Popover label={label} onClose={close}>
          <p className="menu-text">
            A hint about its turn is put into the queue turns. What has been settled is not done again.
          </p>
          <Problem words={replay.problem} />
          <span className="menu-actions">
            <button
              type="button"
              className="button button-main"
              disabled={replay.isBusy}
              onClick={replay.run}
            >
              Replay
            </button>
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
          </span>
        </Popover>
      )}
    </span>
  );
}

function contentText(content: string): string {
  if (content === '') return 'Nothing of it could be read.';
  try {
    return JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    return content;
  }
}
