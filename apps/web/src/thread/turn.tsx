import { memo, useMemo } from 'react';
import type { StepView, TurnView } from '#contracts';
import type { Transient } from '../conversation/transient.js';
import type { Thought, ThoughtsOfTurn } from '../conversation/thoughts.js';
import { hasEnded } from '../conversation/conversations.js';
import { AsideNote } from '../frame/aside-note.js';
import { useIsDisconnected } from '../frame/disconnected.js';
import { formatClock } from '../format/durations.js';
import { StepCard } from '../timeline/step-card.js';
import { isThought, ThoughtLine } from '../timeline/thought-line.js';
import { Markdown } from '../markdown/markdown.js';
import { OwnMessage } from './own-message.js';
import { SummaryNote } from './summary-note.js';
import { ThinkingNote } from './thinking-note.js';
import { TurnEnd } from './turn-end.js';
import { TurnNow } from './turn-now.js';

interface TurnProps {
  turn: TurnView;
  transient: Transient;
  thoughts: ThoughtsOfTurn | undefined;
  /** Of the last turn, when nothing runs: sends a message. */
  onSay: ((content: string) => void) | undefined;
}

/** One user message and everything that follows from it. */
export const Turn = memo(function Turn({ turn, transient, thoughts, onSay }: TurnProps) {
  const isEnded = hasEnded(turn);
  const replaced = useMemo(() => replacedSteps(turn), [turn]);
  if (wasRemoved(turn)) return <RemovedMessage turn={turn} />;
  return (
    <article className="turn" data-status={turn.status}>
      <OwnMessage content={turn.content} />
      <div className="answer">
        <h2 className="visually-hidden">Switchyard</h2>
        {turn.steps.map((step, index) => (
          <Step
            key={step.n}
            step={step}
            turn={turn}
            isStreaming={!isEnded && index === turn.steps.length - 1 && !step.committed}
            replacement={replaced.get(step.n)}
            progress={transient.progress}
            thought={thoughts?.[step.n]}
          />
        ))}
        {isEnded ? (
          <TurnEnd turn={turn} replaced={replaced} onSay={onSay} />
        ) : (
          <TurnNow turn={turn} transient={transient} thoughts={thoughts} />
        )}
      </div>
    </article>
  );
});

/** Stopped while it was queued: no answer was begun. */
export function wasRemoved(turn: TurnView): boolean {
  return turn.status === 'cancelled' && turn.started_at === undefined && turn.steps.length === 0;
}

function RemovedMessage({ turn }: { turn: TurnView }) {
  return (
    <article className="turn" data-status={turn.status}>
      <div className="own-message is-removed">
        <h2 className="visually-hidden">You</h2>
        <p>{turn.content}</p>
        <span className="own-note">
          Removed{turn.ended_at && ` at ${formatClock(turn.ended_at)}`}, before its turn came.
        </span>
      </div>
    </article>
  );
}

interface StepProps {
  step: StepView;
  turn: TurnView;
  isStreaming: boolean;
  /** The answer in place of its text. */
  replacement: string | undefined;
  progress: Transient['progress'];
  thought: Thought | undefined;
}

function Step({ step, turn, isStreaming, replacement, progress, thought }: StepProps) {
  const carded = useMemo(() => ({ ...step, calls: step.calls.filter((call) => !isThought(call)) }), [step]);
  return (
    <>
      {step.summary !== undefined && <SummaryNote summary={step.summary} />}
      {thought && <ThinkingNote thought={thought} isThinking={isStreaming && !thought.isOver} />}
      {replacement === undefined ? (
        <Spoken text={step.text} isStreaming={isStreaming} />
      ) : (
        <Draft text={step.text} answer={replacement} />
      )}
      {step.calls.filter(isThought).map((call) => (
        <ThoughtLine key={call.tool_call_id} call={call} />
      ))}
      {carded.calls.length > 0 && (
        <StepCard step={carded} turnId={turn.turn_id} hasTurnEnded={hasEnded(turn)} progress={progress} />
      )}
    </>
  );
}

function Spoken({ text, isStreaming }: { text: string; isStreaming: boolean }) {
  const isDisconnected = useIsDisconnected();
  if (text.trim() === '') return null;
  return (
    <div className={`prose${isStreaming ? ' is-streaming' : ''}${isDisconnected ? ' is-disconnected' : ''}`}>
      <Markdown text={text} />
    </div>
  );
}

/** The model's text before it was asked for the final form of its answer. */
function Draft({ text, answer }: { text: string; answer: string }) {
  if (text.trim() === answer.trim()) return null;
  return (
    <AsideNote title="First version of the answer">
      <div className="prose">
        <Markdown text={text} />
      </div>
    </AsideNote>
  );
}

/** By step number, the text that replaces the step's own text in the answer. */
export function replacedSteps({ steps }: TurnView): ReadonlyMap<number, string> {
  return new Map(steps.flatMap(({ replaces = [], text }) => replaces.map((n) => [n, text] as const)));
}
