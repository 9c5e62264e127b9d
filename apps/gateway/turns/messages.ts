import { plainText, type Outcome, type Step, type Turn } from '#contracts';
import type { Store } from '#store';
import { yieldToEventLoop, type Clock } from '#time';
import { isReplaced, textOf } from '#turn';

type MessageStore = Pick<Store, 'listTurns' | 'listSteps' | 'listOutcomes'>;

/** A message as lists show it: a user's message or an answer, oldest first. */
export interface MessageBody {
  id: string;
  /** For the next page: `after` the turn before it. */
  turn_number: number;
  conversation_id: string;
  role: 'user' | 'assistant' | 'tool' | 'summary';
  content: string;
  created_at: string;
  metadata?: object;
}

export interface MessagesPage {
  /** Number of the turn before the first one. */
  after: number;
  skip: number;
  limit: number;
  withTools: boolean;
}

const SHOWN: Step['kind'][] = ['model'];
/** Journals in memory at a time: up to this size, or a single larger one. */
const PORTION = { limit: 50, bytes: 256 * 1024 };

/**
 * Each turn's message, and each step with text as the assistant's. Steps that only call tools, `cancel` and `fail`
 * rows are not shown; results, and summaries of what was before, only with `withTools`. `skip` counts messages from
 * the turn after number `after`: what is skipped is read, but not kept. Read in portions of 256 KiB, or one turn, as
 * they are taken.
 */
export async function* listMessages(
  { store, clock }: { store: MessageStore; clock: Pick<Clock, 'soon'> },
  conversationId: string,
  page: MessagesPage,
): AsyncGenerator<MessageBody> {
  let { skip, limit: left, after } = page;
  while (left > 0) {
    const turns = await store.listTurns(conversationId, { after, ...PORTION });
    if (turns.length === 0) return;
    after = turns.at(-1)!.number;
    const read = await readMessages(store, turns, page.withTools);
    for (const message of read.slice(skip, skip + left)) {
      left--;
      yield message;
    }
    skip = Math.max(0, skip - read.length);
    // A store in this process answers at once, and would let no other work run.
    await yieldToEventLoop(clock);
  }
}

/** Each turn has at least one. */
async function readMessages(store: MessageStore, turns: Turn[], withTools: boolean): Promise<MessageBody[]> {
  const [first, last] = [turns[0]!, turns.at(-1)!];
  const range = { after: first.number - 1, before: last.number + 1 };
  const [steps, outcomes] = await Promise.all([
    store.listSteps(first.conversation_id, range),
    withTools ? store.listOutcomes(turns.map((turn) => turn._id)) : [],
  ]);
  const shown = withTools ? [...SHOWN, 'summary' as const] : SHOWN;
  const rows = steps.filter(({ kind }) => shown.includes(kind));
  return turns.flatMap((turn) => messagesOf(turn, rows, outcomes));
}

function messagesOf(turn: Turn, steps: Step[], outcomes: Outcome[]): MessageBody[] {
  const { _id, conversation_id, content, at } = turn;
  const rows = steps.filter((step) => step.turn_id === _id);
  const own = rows.filter((step) => !isReplaced(step, rows));
  return [
    { id: _id, turn_number: turn.number, conversation_id, role: 'user', content, created_at: at },
    ...own.flatMap((step) => [...spokenMessages(step), ...toolMessages(step, outcomes)]),
  ];
}

function spokenMessages(step: Step): MessageBody[] {
  const content = textOf(step);
  if (content.trim() === '') return [];
  const { _id, turn_number, conversation_id, at } = step;
  const role = step.kind === 'summary' ? 'summary' : 'assistant';
  return [{ id: _id, turn_number, conversation_id, role, content, created_at: at }];
}

function toolMessages(step: Step, outcomes: Outcome[]): MessageBody[] {
  return step.calls.flatMap(({ tool_call_id, tool_name, display_name, source }): MessageBody[] => {
    const outcome = outcomes.find((candidate) => candidate._id === tool_call_id);
    if (!outcome) return [];
    return [
      {
        id: tool_call_id,
        turn_number: step.turn_number,
        conversation_id: step.conversation_id,
        role: 'tool',
        content: plainText(outcome),
        created_at: outcome.at,
        // Named as people see it, as in the list of tools.
        metadata: {
          tool_call_id,
          tool_name: display_name,
          qualified_name: tool_name,
          source,
          status: outcome.status,
        },
      },
    ];
  });
}
