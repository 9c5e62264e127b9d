import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { HttpError, listTurns } from '../connection/http.js';
import { activeTurn, hasEnded, type HeldConversation } from '../conversation/conversations.js';
import type { OutgoingMessage } from '../conversation/outbox.js';
import { noTransient } from '../conversation/transient.js';
import { Boundary, FailedPart } from '../frame/boundary.js';
import { Icon } from '../frame/icon.js';
import { useSession } from '../session/session.js';
import { moveWithinThread } from '../keys/thread-keys.js';
import { prepareMarkdown } from '../markdown/markdown.js';
import { useFollowEnd } from './follow-end.js';
import { OutgoingBubble } from './own-message.js';
import { Turn } from './turn.js';

interface ThreadProps {
  /** Changes when another conversation is shown. */
  place: string;
  held: HeldConversation | undefined;
  /** The user's messages that are neither in the view nor queued. */
  outgoing: readonly OutgoingMessage[];
  onSay: (content: string) => void;
}

export function Thread({ place, held, outgoing, onSay }: ThreadProps) {
  const thread = useRef<HTMLDivElement>(null);
  const turns = held ? [...held.earlierTurns, ...held.view.turns] : [];
  const active = held && activeTurn(held.view);
  // Queued messages are in the tray at the composer.
  const shown = turns.filter((turn) => hasEnded(turn) || turn === active);
  const last = active === undefined && outgoing.length === 0 ? turns.at(-1) : undefined;
  const { isAway, goToEnd } = useFollowEnd(thread, place, shown[0]?.turn_id);
  useEffect(prepareMarkdown, []);
  const lastOwn = outgoing.at(-1)?.clientMessageId;
  useLayoutEffect(() => {
    // A user who sends a message wants to see its answer, whatever they were reading.
    if (lastOwn !== undefined) goToEnd();
  }, [lastOwn, goToEnd]);
  return (
    <div
      className="thread"
      ref={thread}
      tabIndex={0}
      role="region"
      aria-label="Conversation"
      onKeyDown={(event) => moveWithinThread(event)}
    >
      <div className="well thread-well">
        {held?.problem && <Problem code={held.problem.code} message={held.problem.message} />}
        {held && <Earlier held={held} />}
        {shown.map((turn) => (
          <Boundary
            key={turn.turn_id}
            of={turn}
            instead={(again) => <FailedPart what="This message" again={again} />}
          >
            <Turn
              turn={turn}
              transient={held && turn === active ? held.transient : noTransient}
              thoughts={held?.thoughts[turn.turn_id]}
              onSay={turn === last ? onSay : undefined}
            />
          </Boundary>
        ))}
        {outgoing.map((message) => (
          <OutgoingBubble key={message.clientMessageId} message={message} />
        ))}
      </div>
      {isAway && (
        <button type="button" className="to-end" onClick={goToEnd}>
          <Icon name="down" />
          To the end
        </button>
      )}
    </div>
  );
}

function Earlier({ held }: { held: HeldConversation }) {
  const { conversations } = useSession();
  const [isReading, setReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const hasEarlier = held.earlierTurns.length > 0 ? held.hasEarlier : held.view.earlier;
  const first = held.earlierTurns[0] ?? held.view.turns[0];
  if (!hasEarlier || !first) return null;
  const read = async () => {
    const id = held.view.conversation_id;
    setReading(true);
    setProblem(undefined);
    try {
      const { turns, earlier } = await listTurns(id, first.number);
      conversations.addEarlier(id, turns, earlier);
    } catch (error) {
      setProblem(error instanceof HttpError ? error.message : 'They could not be read.');
    } finally {
      setReading(false);
    }
  };
  return (
    <p className="earlier">
      <button type="button" className="button" disabled={isReading} onClick={() => void read()}>
        Show earlier messages
      </button>
      {problem && <span role="alert">{problem}</span>}
    </p>
  );
}

function Problem({ code, message }: { code: string; message: string }) {
  const { router } = useSession();
  const isMissing = code === 'not_found';
  return (
    <p className="turn-problem" role="alert">
      <Icon name="failed" />
      <span className="grow">
        {isMissing ? 'This conversation does not exist, or has been deleted.' : message}
      </span>
      {isMissing && (
        <button type="button" className="text-button" onClick={() => router.openNew()}>
          Start a new one
        </button>
      )}
    </p>
  );
}
