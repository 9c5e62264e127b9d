import type { ConversationEvent, EventOf, Snapshot, View } from '#contracts';

/** The model's thinking in one step, as received. */
export interface Thought {
  readonly attempt: number;
  readonly text: string;
  /** The end of the text within the model's whole thinking. A gap before it is marked in the text. */
  readonly end: number;
  /** Milliseconds, on the server's clock; `undefined` if the beginning was missed. */
  readonly beganAt: number | undefined;
  /** When its last part arrived, or when the text after it began. */
  readonly lastAt: number;
  /** The model has continued with its text. */
  readonly isOver: boolean;
}

/** Of one turn, by step. */
export type ThoughtsOfTurn = Readonly<Record<number, Thought>>;
/** By turn. Thoughts are not stored, so a page that is loaded later has no earlier ones. */
export type Thoughts = Readonly<Record<string, ThoughtsOfTurn>>;

export const noThoughts: Thoughts = {};

const MISSED = '…';

/**
 * The model's thinking is not part of the view. It is collected here, and dropped here when the view drops its step.
 */
export function reduceThoughts(thoughts: Thoughts, event: ConversationEvent | Snapshot): Thoughts {
  if (event.type === 'thinking') return addThinking(thoughts, event);
  if (event.type === 'token') return endThought(dropOlder(thoughts, event), event);
  if (event.type === 'snapshot') return keepShown(thoughts, event.view);
  const isBeginning = event.type === 'step_started' || event.type === 'step_restarted';
  return isBeginning ? dropOlder(thoughts, event) : thoughts;
}

function addThinking(thoughts: Thoughts, event: EventOf<'thinking'>): Thoughts {
  const { attempt, offset, content, timestamp } = event;
  const heard = thoughts[event.turn_id]?.[event.step];
  const lastAt = Date.parse(timestamp);
  const end = offset + content.length;
  if (heard && (heard.attempt > attempt || (heard.attempt === attempt && heard.end >= end))) return thoughts;
  if (!heard || heard.attempt < attempt) {
    const isWhole = offset === 0;
    const text = isWhole ? content : `${MISSED} ${content}`;
    const beganAt = isWhole ? lastAt : undefined;
    return put(thoughts, event, { attempt, text, end, beganAt, lastAt, isOver: false });
  }
  const added = offset > heard.end ? ` ${MISSED} ${content}` : content.slice(heard.end - offset);
  return put(thoughts, event, { ...heard, text: heard.text + added, end, lastAt, isOver: false });
}

interface StepOfTurn {
  turn_id: string;
  step: number;
}

function endThought(thoughts: Thoughts, event: EventOf<'token'>): Thoughts {
  const heard = thoughts[event.turn_id]?.[event.step];
  if (!heard || heard.isOver) return thoughts;
  return put(thoughts, event, { ...heard, lastAt: Date.parse(event.timestamp), isOver: true });
}

/** A step that starts again forgets what it thought. */
function dropOlder(thoughts: Thoughts, event: StepOfTurn & { attempt: number }): Thoughts {
  const { turn_id, step, attempt } = event;
  const heard = thoughts[turn_id]?.[step];
  if (!heard || heard.attempt >= attempt) return thoughts;
  const { [step]: _dropped, ...others } = thoughts[turn_id]!;
  return { ...thoughts, [turn_id]: others };
}

function put(thoughts: Thoughts, { turn_id, step }: StepOfTurn, thought: Thought): Thoughts {
  return { ...thoughts, [turn_id]: { ...thoughts[turn_id], [step]: thought } };
}

/**
 * Thoughts of a step are dropped when the view shows another attempt of it. Turns that a snapshot leaves out may still
 * be shown.
 */
function keepShown(thoughts: Thoughts, view: View): Thoughts {
  return view.turns.reduce((kept, turn) => {
    const ofTurn = kept[turn.turn_id];
    if (!ofTurn) return kept;
    const entries = Object.entries(ofTurn);
    const shown = entries.filter(([n, { attempt }]) => turn.steps[Number(n) - 1]?.attempt === attempt);
    if (shown.length === entries.length) return kept;
    return { ...kept, [turn.turn_id]: Object.fromEntries(shown) };
  }, thoughts);
}
