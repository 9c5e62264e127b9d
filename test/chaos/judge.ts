import { isDeepStrictEqual } from 'node:util';
import type { Call, Claim, Journal, Outcome, View } from '#contracts';
import type { ModelRequest } from '#llm';
import type { Store } from '#store';
import {
  appendMessages,
  assertTranscript,
  claimsOn,
  endsTurn,
  messagesOfTurn,
  outcomeOf,
  statusOf,
  viewOf,
  type ModelMessage,
} from '#turn';
import type { Life } from './life.js';
import type { Trace } from './trace.js';

/** What is left of a run once nothing moves any more. */
export interface Evidence {
  store: Store;
  trace: Trace;
  /** Everybody who ever ran. */
  lives: Map<string, Life>;
  /** What a viewer of each conversation holds at the end. */
  conversations: { conversationId: string; view: View }[];
  requests: ModelRequest[];
}

/** Without a beat for so long, a process may be counted as dead. */
const DEAD_AFTER_MS = 8_000;

/** Reads what is left and says what is not as promised. */
export async function judge(evidence: Evidence): Promise<string[]> {
  const { store, conversations } = evidence;
  const found: string[] = [];
  const all: Journal[] = [];
  for (const { conversationId, view } of conversations) {
    const turns = await store.listTurns(conversationId, { limit: 10_000 });
    const journals = await store.readJournals(conversationId, turns);
    all.push(...journals);
    found.push(...judgeNumbers(journals), ...judgeTranscripts(journals, evidence.requests));
    const conversation = (await store.getConversation(conversationId))!;
    const different = firstDifference(told(view), told(viewOf(conversation, journals, false)));
    if (different)
      found.push(`${conversationId}: its viewer holds another view than the store: ${different}`);
  }
  for (const journal of all) found.push(...judgeTurn(journal), ...judgeCalls(journal, evidence));
  found.push(...judgeAccepted(all, evidence.trace), ...judgeStarts(all, evidence.trace));
  for (const journal of all) found.push(...judgeStops(journal, evidence.trace));
  const dead = await store.listDeadLetters(10);
  found.push(...dead.map(({ queue, reason }) => `a message died in ${queue}: ${reason}`));
  found.push(...evidence.trace.errors.map((line) => `an error was logged: ${line.slice(0, 600)}`));
  return found;
}

/** A turn that was stopped before its first step may have begun without anybody having been told. */
function told(view: View): unknown {
  const turns = view.turns.map(({ started_at, ...turn }) =>
    turn.status === 'cancelled' && turn.steps.length === 0 ? turn : { ...turn, started_at },
  );
  return plain({ ...view, turns });
}

function judgeNumbers(journals: Journal[]): string[] {
  const numbers = journals.map(({ turn }) => turn.number);
  const hasHoles = numbers.some((number, i) => number !== i + 1);
  return hasHoles ? [`turn numbers ${numbers.join(', ')} have holes`] : [];
}

/** It ended, once, with its last row; what is cached of it is what its rows say. */
function judgeTurn(journal: Journal): string[] {
  const { turn, steps } = journal;
  const found: string[] = [];
  const ends = steps.filter((step) => endsTurn(turn.options, step));
  if (ends.length !== 1 || ends[0] !== steps.at(-1))
    found.push(`${ends.length} ending rows among ${steps.map(({ kind }) => kind).join(', ')}`);
  if (steps.some(({ n }, i) => n !== i + 1)) found.push(`steps ${steps.map(({ n }) => n).join(', ')}`);
  if (turn.status !== statusOf(journal)) found.push(`cached as ${turn.status}, but is ${statusOf(journal)}`);
  if (turn.due_at !== null) found.push('is still due');
  return found.map((what) => `${turn._id}: ${what}`);
}

function judgeCalls(journal: Journal, { trace, lives }: Evidence): string[] {
  const calls = journal.steps.flatMap((step) => step.calls);
  const known = new Set(calls.map(({ tool_call_id }) => tool_call_id));
  const found = calls.flatMap((call) => judgeCall(call, journal, trace, lives));
  for (const outcome of journal.outcomes)
    if (!known.has(outcome._id)) found.push(`${outcome._id}: an outcome of a call that was never committed`);
  return found;
}

function judgeCall(call: Call, journal: Journal, trace: Trace, lives: Map<string, Life>): string[] {
  const { tool_call_id: id } = call;
  const claims = claimsOn(journal, id);
  const outcome = outcomeOf(journal, id);
  const found = [
    ...(outcome ? judgeOutcome(outcome, claims, trace, lives) : ['has no outcome']),
    ...judgeRuns(call, claims, trace),
    ...judgeReclaims(call, journal, trace),
  ];
  return found.map((what) => `${id} (${call.tool_name}, ${call.class}): ${what}`);
}

function judgeOutcome(outcome: Outcome, claims: Claim[], trace: Trace, lives: Map<string, Life>): string[] {
  const [first] = claims;
  if (!first) return ['an outcome without a claim'];
  if (first.purpose === 'settle' && !isDeepStrictEqual(first.decides, outcome))
    return ['another outcome than its settle claim decides'];
  if (first.purpose === 'run' && !claims.some(({ n }) => n === outcome.attempt))
    return [`an outcome of attempt ${outcome.attempt}, which nobody claimed`];
  if (outcome.error?.error_type !== 'OutcomeUnknown' || mayBeUnknown(outcome, claims, trace, lives))
    return [];
  return [`unknown (${JSON.stringify(outcome.error)}), but nobody who claimed it was gone`];
}

/** Every start has its claim, and each claim one start; `once` has one in all. */
function judgeRuns(call: Call, claims: Claim[], trace: Trace): string[] {
  const found: string[] = [];
  const starts = trace.starts.filter(({ toolCallId }) => toolCallId === call.tool_call_id);
  if (call.class === 'once' && starts.length > 1) found.push(`once, and started ${starts.length} times`);
  if (call.refusal && starts.length > 0) found.push('refused, and started');
  for (const { attempt, worker } of starts) {
    const claim = claims.find(({ n }) => n === attempt);
    if (claim?.purpose !== 'run' || claim.owner !== worker)
      found.push(`attempt ${attempt} was started without its claim`);
    if (starts.filter((other) => other.attempt === attempt).length > 1)
      found.push(`attempt ${attempt} was started twice`);
  }
  return found;
}

/** Nothing is started before its step stands; nor again, once it was claimed too late to be of use. */
function judgeReclaims(call: Call, { steps }: Journal, trace: Trace): string[] {
  const { tool_call_id: id } = call;
  const step = steps.find(({ calls }) => calls.includes(call))!;
  const end = steps.find(({ n, kind }) => n === step.n + 1 && kind !== 'model');
  return trace.starts.flatMap(({ toolCallId, attempt, order }) => {
    if (toolCallId !== id) return [];
    if (order < trace.orderOf('commitStep', step._id)) return ['started before its step was committed'];
    const claimedAt = trace.orderOf('claim', `${id}:${attempt}`);
    if (attempt > 1 && claimedAt > trace.orderOf('settle', id))
      return [`attempt ${attempt} was started after its end`];
    const isLate = attempt > 1 && end !== undefined && claimedAt > trace.orderOf('commitStep', end._id);
    return isLate ? [`attempt ${attempt} was claimed and started in a stopped turn`] : [];
  });
}

/** Nobody can know: its worker was lost while it ran, or its tool was. */
function mayBeUnknown(outcome: Outcome, claims: Claim[], trace: Trace, lives: Map<string, Life>): boolean {
  if (trace.connectionsLost.has(outcome._id)) return true;
  return claims.some(({ owner }) => {
    const life = lives.get(owner);
    return life !== undefined && (life.wasDoubtful || life.longestSilenceMs >= DEAD_AFTER_MS);
  });
}

function judgeAccepted(journals: Journal[], trace: Trace): string[] {
  const found: string[] = [];
  for (const [clientMessageId, turnIds] of trace.accepted) {
    const turns = journals.filter(({ turn }) => turn.client_message_id === clientMessageId);
    if (turnIds.size !== 1 || turns.length !== 1 || !turnIds.has(turns[0]!.turn._id))
      found.push(
        `${clientMessageId} was accepted as ${[...turnIds].join(', ')}, ${turns.length} turns exist`,
      );
  }
  return found;
}

function judgeStarts(journals: Journal[], trace: Trace): string[] {
  const found: string[] = [];
  const turnOf = new Map<string, string>();
  for (const { turn, steps } of journals)
    for (const { calls } of steps) for (const call of calls) turnOf.set(call.tool_call_id, turn._id);
  for (const start of trace.starts) {
    const turnId = turnOf.get(start.toolCallId);
    if (turnId === undefined) found.push(`${start.toolCallId}: started, but never committed`);
    if (!start.workerWasRunning) found.push(`${start.toolCallId}: started by a process that was not running`);
    const late = trace.stops.find(
      (stop) =>
        stop.turnId === turnId && stop.order < start.order && !stop.mayBeRunning.includes(start.toolCallId),
    );
    if (late) found.push(`${start.toolCallId}: attempt ${start.attempt} started after the Stop of ${turnId}`);
  }
  return found;
}

/** Whoever stops a turn is told of every call that was claimed to run and had not ended. */
function judgeStops({ turn, claims, outcomes }: Journal, trace: Trace): string[] {
  const running = claims.filter(({ _id, purpose }) => purpose === 'run' && !_id.startsWith(turn._id));
  return trace.stops
    .filter(({ turnId }) => turnId === turn._id)
    .flatMap(({ order, mayBeRunning }) =>
      outcomes.flatMap(({ _id: id }) => {
        const isClaimed = running.some(
          ({ _id, n }) => _id === `${id}:${n}` && trace.orderOf('claim', _id) < order,
        );
        const isTold = !isClaimed || trace.orderOf('settle', id) < order || mayBeRunning.includes(id);
        return isTold ? [] : [`${id}: the Stop of its turn did not say that it may be running`];
      }),
    );
}

/** Every request could be sent, and each process told the model the same history. */
function judgeTranscripts(journals: Journal[], requests: ModelRequest[]): string[] {
  const found: string[] = [];
  const history: ModelMessage[] = [];
  for (const journal of journals) {
    const { turn, steps, outcomes } = journal;
    const possible = [...steps, undefined].map((_, count) => {
      const messages = history.slice();
      appendMessages(messages, messagesOfTurn({ turn, steps: steps.slice(0, count), outcomes }));
      return plain(messages);
    });
    for (const { messages } of requests.filter((request) => isAbout(request, turn.content))) {
      found.push(...brokenRules(messages, turn._id));
      if (!possible.some((expected) => isDeepStrictEqual(expected, plain(messages))))
        found.push(`${turn._id}: the model was told something else than the journal says`);
    }
    appendMessages(history, messagesOfTurn(journal));
    found.push(...brokenRules(history, turn._id));
  }
  return found;
}

/** The last question of the request is this turn's. */
function isAbout({ messages }: ModelRequest, content: string): boolean {
  const texts = messages.flatMap((message) =>
    message.role === 'user'
      ? message.content.flatMap((item) => (item.type === 'text' ? [item.text] : []))
      : [],
  );
  return texts.findLast((text) => text.includes('steps=')) === content;
}

function brokenRules(messages: ModelMessage[], turnId: string): string[] {
  try {
    assertTranscript(messages);
    return [];
  } catch (error) {
    return [`${turnId}: ${(error as Error).message}`];
  }
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Where two values part, and what each has there; undefined when they are the same. */
function firstDifference(left: unknown, right: unknown, path = 'view'): string | undefined {
  if (isDeepStrictEqual(left, right)) return undefined;
  const isParent = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null;
  if (isParent(left) && isParent(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const found = firstDifference(left[name], right[name], `${path}.${name}`);
      if (found) return found;
    }
  }
  return `${path} is ${JSON.stringify(left)?.slice(0, 300)}, not ${JSON.stringify(right)?.slice(0, 300)}`;
}
