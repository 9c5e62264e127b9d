import type { StepView, TurnView } from '#contracts';
import { useNow } from '../conversation/clock.js';
import type { Transient } from '../conversation/transient.js';
import type { ThoughtsOfTurn } from '../conversation/thoughts.js';
import { useIsDisconnected } from '../frame/disconnected.js';
import { Icon, type IconName } from '../frame/icon.js';
import { useObservable, useSession } from '../session/session.js';
import { isOpen } from '../format/call-text.js';
import { formatClock } from '../format/durations.js';

interface TurnNowProps {
  turn: TurnView;
  transient: Transient;
  thoughts: ThoughtsOfTurn | undefined;
}

/** The line under a running turn: its activity, if the text and the calls do not show it. */
export function TurnNow({ turn, transient, thoughts }: TurnNowProps) {
  const isDisconnected = useIsDisconnected();
  const { clock, connection } = useSession();
  const { heardAt } = useObservable(connection.state);
  const now = useNow(clock, transient.waiting !== undefined);
  if (isDisconnected) {
    const asOf = heardAt === undefined ? '' : `Shown as of ${formatClock(heardAt)}. `;
    return <Note icon="clock">{asOf}The turn goes on without this page.</Note>;
  }
  if (transient.waiting?.turnId === turn.turn_id) {
    const { reason, until } = transient.waiting;
    return (
      <Note icon="clock">
        {sentence(reason)} {until !== undefined && nextTry(until - now)}
      </Note>
    );
  }
  const last = turn.steps.at(-1);
  if (!last) return <Note icon="queued">{turn.status === 'queued' ? 'Waiting to start' : 'Starting'}</Note>;
  if (last.committed) return <BetweenSteps turn={turn} last={last} />;
  if (last.text !== '') return null;
  if (transient.restarted?.turnId === turn.turn_id && transient.restarted.step === last.n) {
    return <Note icon="warn">The model’s answer broke off. This step starts again.</Note>;
  }
  // The line of its thinking says it.
  if (thoughts?.[last.n]?.isOver === false) return null;
  return <Pulse words="Waiting for the model" />;
}

function BetweenSteps({ turn, last }: { turn: TurnView; last: StepView }) {
  if (turn.status !== 'running' || last.calls.some(isOpen)) return null;
  return <Pulse words={last.summary === undefined ? 'Reading the results' : 'Waiting for the model'} />;
}

function nextTry(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1_000);
  return seconds > 0 ? `The next try is in ${seconds} s.` : 'Trying again.';
}

function Note({ icon, children }: { icon: IconName; children: React.ReactNode }) {
  return (
    <p className="turn-note">
      <Icon name={icon} />
      <span>{children}</span>
    </p>
  );
}

function Pulse({ words }: { words: string }) {
  return (
    <p className="turn-note">
      <span className="cursor" aria-hidden="true" />
      <span>{words}</span>
    </p>
  );
}

function sentence(text: string): string {
  const trimmed = text.trim().replace(/\.$/, '');
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}.`;
}
