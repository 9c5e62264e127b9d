import { useState } from 'react';
import type { ListedLetter } from '#contracts';
import { HttpError } from '../connection/http.js';
import { formatBytes } from '../format/bytes.js';
import { Popover } from '../frame/popover.js';
import { operatorApi } from './operator-api.js';

interface LookProps {
  letter: ListedLetter;
  onDiscard: () => void;
}

/** Ids, times and sizes: the gateway keeps nothing else of a message. */
export function Look({ letter, onDiscard }: LookProps) {
  const { _id: id, message_id, queue, size, at } = letter;
  const [content, setContent] = useState<string>();
  const discard = useAction(() => operatorApi.discard(id), onDiscard);
  const close = () => {
    setContent(undefined);
    discard.forget();
  };
  const look = () => {
    operatorApi.letter(id).then(
      (whole) => setContent(contentText(whole.content)),
      (error: unknown) => setContent(problemOf(error)),
    );
  };
  return (
    <span className="menu">
      <button
        type="button"
        className="button button-ghost"
        aria-label={`Look at the message from ${queue}`}
        aria-expanded={content !== undefined}
        onClick={look}
      >
        Look
      </button>
      {content !== undefined && (
        <Popover label="Dead letter" onClose={close}>
          <div className="ops-letter">
            <p className="quiet">
              Message <code>{message_id}</code>, {size === undefined ? 'size unknown' : formatBytes(size)},
              died {at}
            </p>
            <pre>{content}</pre>
          </div>
          <Problem words={discard.problem} />
          <span className="menu-actions">
            <button
              type="button"
              className="button button-bad"
              disabled={discard.isBusy}
              onClick={discard.run}
            >
              Discard
            </button>
            <button type="button" className="button" onClick={close}>
              Close
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

/** One request at a time, and why it failed. */
function useAction(act: () => Promise<unknown>, onDone: () => void) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    setBusy(true);
    act()
      .then(onDone, (error: unknown) => setProblem(problemOf(error)))
      .finally(() => setBusy(false));
  };
  return { problem, isBusy, run, forget: () => setProblem(undefined) };
}

function Problem({ words }: { words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <p className="menu-text ops-problem" role="alert">
      {words}
    </p>
  );
}

function problemOf(error: unknown): string {
  return error instanceof HttpError ? error.message : 'The answer could not be read.';
}

function contentText(content: string): string {
  if (content === '') return 'Nothing of it could be read.';
  try {
    return JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    return content;
  }
}
