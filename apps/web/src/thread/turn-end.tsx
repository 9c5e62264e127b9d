import type { TurnView } from '#contracts';
import { CopyButton } from '../frame/copy-button.js';
import { Icon } from '../frame/icon.js';
import { isOpen } from '../format/call-text.js';
import { countOf, formatClock, formatDuration } from '../format/durations.js';

interface TurnEndProps {
  turn: TurnView;
  /** The numbers of the steps whose text is not part of the answer. */
  replaced: Pick<ReadonlyMap<number, unknown>, 'has'>;
  /** Sends a message; undefined where none may follow. */
  onSay: ((content: string) => void) | undefined;
}

/** The line under an ended turn: figures, or why it ended early. */
export function TurnEnd({ turn, replaced, onSay }: TurnEndProps) {
  const text = turn.steps
    .filter((step) => !replaced.has(step.n))
    .map((step) => step.text.trim())
    .filter(Boolean)
    .join('\n\n');
  return (
    <>
      <TurnProblem turn={turn} hasText={text !== ''} onSay={onSay} />
      <div className="turn-foot">
        {turn.status === 'cancelled' ? <span>{stopSentence(turn)}</span> : <Figures turn={turn} />}
        <span className="grow" />
        {text !== '' && <CopyButton label="Copy answer" text={() => text} />}
      </div>
    </>
  );
}

interface TurnProblemProps extends Pick<TurnEndProps, 'turn' | 'onSay'> {
  hasText: boolean;
}

/** Why the answer is not whole, and what can be done about it. */
function TurnProblem({ turn, hasText, onSay }: TurnProblemProps) {
  const problem = problemOf(turn, hasText);
  if (problem === undefined) return null;
  const next = turn.stop_reason === 'max_tokens' && hasText ? CONTINUE : TRY_AGAIN;
  return (
    <p className={turn.status === 'failed' ? 'turn-problem' : 'turn-problem is-mild'}>
      <Icon name={turn.status === 'failed' ? 'failed' : 'warn'} />
      <span className="grow">{problem}</span>
      {onSay && (
        <button type="button" className="text-button" onClick={() => onSay(next.content ?? turn.content)}>
          {next.label}
        </button>
      )}
    </p>
  );
}

const CONTINUE = { label: 'Continue', content: 'Continue.' };
const TRY_AGAIN = { label: 'Try again', content: undefined };

function problemOf({ status, error, stop_reason: reason }: TurnView, hasText: boolean): string | undefined {
  if (status === 'failed') return error?.message ?? 'The turn failed.';
  if (status !== 'completed') return undefined;
  if (reason === 'max_tokens') return 'Cut off at the output limit.';
  if (reason === 'context_overflow') return 'Cut off: the conversation is longer than the model can read.';
  if (reason === 'refusal') return 'The model refused to go on.';
  return hasText ? undefined : 'The model gave no answer.';
}

function stopSentence(turn: TurnView): string {
  const at = turn.ended_at ? ` at ${formatClock(turn.ended_at)}` : '';
  if (turn.steps.length === 0) return `Stopped${at}.`;
  const open = turn.steps.flatMap((step) => step.calls).filter(isOpen).length;
  if (open === 0) return `Stopped${at}. Nothing of this turn is still running.`;
  return `Stopped${at}. ${countOf(open, 'call')} may still be running; how it ends will show above.`;
}

function Figures({ turn }: { turn: TurnView }) {
  return figuresOf(turn).map((figure) => (
    <span key={figure} className="figure">
      {figure}
    </span>
  ));
}

function figuresOf(turn: TurnView): string[] {
  const figures: string[] = [];
  const startedAt = turn.started_at ?? turn.at;
  if (turn.ended_at) figures.push(formatDuration(Date.parse(turn.ended_at) - Date.parse(startedAt)));
  const calls = turn.steps.reduce((sum, step) => sum + step.calls.length, 0);
  const steps = countOf(turn.steps.length, 'step');
  figures.push(calls > 0 ? `${steps}, ${countOf(calls, 'call')}` : steps);
  if (turn.usage) figures.push(countOf(turn.usage.input_tokens + turn.usage.output_tokens, 'token'));
  return figures;
}
