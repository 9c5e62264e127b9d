import { useEffect, useRef, useState } from 'react';
import type { TurnView, View } from '#contracts';
import { waitsForPerson } from '../conversation/conversations.js';
import type { ConnectionLineState } from './disconnected.js';

type Moment = TurnView['status'] | 'waits';

const momentText: Record<Moment, string> = {
  queued: '',
  running: 'The answer has started.',
  waits: 'The answer waits for you.',
  awaiting_input: 'The answer waits for you.',
  completed: 'The answer is complete.',
  failed: 'The turn has failed.',
  cancelled: 'The turn was stopped.',
};
const lineText: Record<ConnectionLineState, string> = {
  hidden: '',
  reconnecting: 'The connection is lost. What you write is kept and sent once.',
  again: 'Connected again.',
};

/**
 * The page's one live region. It announces only changes, not the content after a reload or a switch of conversation.
 */
export function Announcer({ view, line }: { view: View | undefined; line: ConnectionLineState }) {
  const [words, setWords] = useState('');
  const before = useRef<{ id: string | undefined; moments: Map<string, Moment> }>({
    id: undefined,
    moments: new Map(),
  });
  useEffect(() => {
    const { id, moments } = before.current;
    const now = new Map(view?.turns.map((turn) => [turn.turn_id, momentOf(turn)]));
    before.current = { id: view?.conversation_id, moments: now };
    if (id !== view?.conversation_id) return;
    for (const [turnId, moment] of now) {
      const last = moments.get(turnId);
      if (last === undefined || last === moment) continue;
      // The user who answered needs no announcement. The next waiting call must be announced again.
      setWords(isWaiting(last) && moment === 'running' ? '' : momentText[moment]);
    }
  }, [view]);
  useEffect(() => {
    if (line !== 'hidden') setWords(lineText[line]);
  }, [line]);
  return (
    <p className="visually-hidden" role="status">
      {words}
    </p>
  );
}

const isWaiting = (moment: Moment): boolean => moment === 'waits' || moment === 'awaiting_input';

/** A call may wait for its person while others of the turn still run. */
function momentOf(turn: TurnView): Moment {
  if (turn.status !== 'running') return turn.status;
  return waitsForPerson(turn) ? 'waits' : 'running';
}
