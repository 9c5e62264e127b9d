import {
  completeResult,
  type Answer,
  type Body,
  type Call,
  type Claim,
  type ConversationEvent,
  type Message,
  type MessageType,
  type Outcome,
  type Step,
  type Turn,
} from '#contracts';
import { noFaults } from '#faults';
import type { Bus, PublishOutcome } from '#messaging';
import { createStore, type Store } from '#store';
import { systemTime, type Time } from '#time';
import type { JournalObserver } from '../journal-observer.js';
import type { KnownSwitches, Ports } from '../ports.js';

/** Published and sent messages, in order. */
export interface Sent {
  to: string;
  message: Message;
}

/** A bus that records its messages; `answer` gives the outcome of each. */
export class RecordingBus {
  readonly sent: Sent[] = [];
  readonly events: ConversationEvent[] = [];
  answer: (to: string) => PublishOutcome = () => 'confirmed';

  /** The bodies of one type, with their destinations. */
  bodies<T extends MessageType>(type: T): [string, Body<T>][] {
    return this.sent.flatMap(({ to, message }) =>
      message.type === type ? [[to, message.body as Body<T>]] : [],
    );
  }

  readonly publish = async (queue: string, message: Message): Promise<PublishOutcome> =>
    this.take(queue, message);
  readonly send = async (key: string, message: Message): Promise<PublishOutcome> => this.take(key, message);
  readonly emit = (event: ConversationEvent): void => void this.events.push(event);
  readonly connectedForMs = (): number => 0;

  private take(to: string, message: Message): PublishOutcome {
    this.sent.push({ to, message });
    return this.answer(to);
  }
}

/** Peers of a fleet in which every process is alive, except the `dead`. */
export function testPeers(dead: ReadonlySet<string> = new Set()) {
  const isDead = async (processId: string) => dead.has(processId);
  return {
    isDead,
    isSuspect: isDead,
    isGone: isDead,
    isLost: isDead,
    listUnchangedFor: (): string[] => [],
    countLiving: () => 1,
  };
}

/** Nothing is switched. */
export function noSwitches(): KnownSwitches {
  return {
    pauseOf: () => undefined,
    drains: false,
    refusesTurns: undefined,
    all: [],
    read: () => Promise.resolve(),
    onDrain: () => undefined,
  };
}

const silentObserver: JournalObserver = {
  callSettled: () => undefined,
  turnEnded: () => undefined,
  repaired: () => undefined,
  deadLettered: () => undefined,
};

type Peers = ReturnType<typeof testPeers>;
type Given = Pick<Ports, 'store' | 'bus'> & Partial<Omit<Ports, 'peers'>> & { peers?: Peers };

/** Complete ports around the given ones: no process is dead, no fault occurs, nothing is logged. */
export function testPorts(given: Given) {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const known = { me: 'gateway-1', peers: testPeers(), switches: noSwitches() };
  const rest = { ...known, log, observer: silentObserver, faultPoint: noFaults };
  return { ...rest, ...systemTime(), ...given };
}

export interface TestPorts extends Ports {
  switches: KnownSwitches;
  peers: Peers;
  recorded: RecordingBus;
  dead: Set<string>;
}

/** A store in memory, a recording bus, and processes that are dead when the test says so. */
export async function openPorts(me = 'gateway-1', time: Time = systemTime()): Promise<TestPorts> {
  const store: Store = createStore({ dataDir: ':memory:' });
  await store.open();
  const recorded = new RecordingBus();
  const dead = new Set<string>();
  const bus = recorded as Partial<Bus> as Bus;
  return { ...testPorts({ store, bus, me, peers: testPeers(dead), ...time }), recorded, dead };
}

const START = Date.now();
export const CONVERSATION_ID = 'conv_1';
export const TURN_ID = 'turn_1';
const place = { turn_id: TURN_ID, conversation_id: CONVERSATION_ID };

/** A time in the test's world, which began just now. */
export const at = (ms: number): string => new Date(START + ms).toISOString();
export const callId = (number: number): string => `call_${String(number).padStart(22, '0')}`;

export function turnRow(number = 1): Turn {
  return {
    _id: `turn_${number}`,
    conversation_id: CONVERSATION_ID,
    number,
    user_id: 'user_1',
    client_message_id: `message-${number}`,
    content: 'Question',
    options: {},
    at: at(0),
    status: 'queued',
    due_at: START + 5_000,
  };
}

export function callRow(number: number, change: Partial<Call> = {}): Call {
  return {
    tool_call_id: callId(number),
    tool_name: 'math.add',
    display_name: 'add',
    source: 'local',
    arguments: { a: 2 },
    class: 'once',
    timeout_ms: 30_000,
    approval: 'none',
    ...change,
  };
}

export function stepRow(n: number, change: Partial<Step> = {}): Step {
  return {
    _id: `${TURN_ID}:${n}`,
    ...place,
    turn_number: 1,
    n,
    attempt: 100,
    kind: 'model',
    blocks: [],
    calls: [],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 0 },
    at: at(n),
    ...change,
  };
}

export function claimRow(workId: string, owner: string, n = 1): Claim {
  return { _id: `${workId}:${n}`, ...place, owner, n, purpose: 'run', at: at(1) };
}

export function outcomeRow(number: number, change: Partial<Outcome> = {}): Outcome {
  return {
    _id: callId(number),
    ...place,
    n: 1,
    ...completeResult({ status: 'success', data: { value: 5 } }),
    attempt: 1,
    worker: 'worker-1',
    duration_ms: 3,
    at: at(9),
    ...change,
  };
}

export function answerRow(number: number, change: Partial<Answer>): Answer {
  return { _id: `${callId(number)}:approval`, ...place, by: 'user_1', at: at(5), ...change };
}
