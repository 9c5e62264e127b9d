import type { Bus } from '#messaging';
import { createLogger } from '#observability';
import { createStore, type Store } from '#store';
import type { Turn } from '#contracts';
import { systemTime } from '#time';
import { testPorts } from '#journal/testing';
import { createSweeper } from '../apps/orchestrator/sweep/create-sweeper.js';
import { TurnHints } from '../apps/orchestrator/sweep/turn-hints.js';
import { spreadOf, type Row } from './measure.js';

const OPEN_TURNS = 1_000;
const ROUNDS = 40;
const ROUND_MS = 2_000;
const AT_ONCE = 50;
const DRIVER = 'orchestrator-other';

/** Everything arrives: what is measured is the sweeper and its store. */
const BUS = {
  send: async () => 'confirmed',
  publish: async () => 'confirmed',
  inspect: async () => ({ consumers: 1, messages: 0 }),
  emit: () => undefined,
} as Partial<Bus> as Bus;

/**
 * CPU of this process for one round, with a thousand turns that another process drives and a call of each running,
 * among conversations that ended long ago; and the same without those.
 */
export async function benchSweeper(name: string, place: string, ended: number): Promise<Row[]> {
  const store = createStore(place.includes('://') ? { ...systemTime(), url: place } : { dataDir: place });
  await store.open();
  await inParallel(OPEN_TURNS, (i) => writeOpenTurn(store, i));
  const without = await measureRounds(store);
  await inParallel(ended, (i) => writeEndedConversation(store, i));
  const among = await measureRounds(store);
  await store.close();
  const row = (title: string, times: number[]): Row => ({
    name: `sweeper, ${name}, CPU a round, 1,000 open turns, ${title}`,
    unit: 'ms',
    ...spreadOf(times),
    goal: '≤ 50',
  });
  return [
    row('no ended conversations', without),
    row(`${ended.toLocaleString('en')} ended conversations`, among),
  ];
}

/** Rounds two seconds apart, by a clock that is only told. */
async function measureRounds(store: Store): Promise<number[]> {
  const log = createLogger({ role: 'bench', level: 'error', pretty: false });
  const ports = testPorts({ store, bus: BUS, me: 'orchestrator-bench', log });
  const sweeper = createSweeper(ports, {
    settings: { retentionDays: 365, deadLetterDays: 365, usage: { budget: {}, keepDays: 365 } },
    peers: { listUnchangedFor: () => [] },
    wake: () => false,
    hints: new TurnHints(ports, { share: 1, turnsAtOnce: 0, driven: () => 0 }),
  });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    await sweeper.sweep(Date.now() + round * ROUND_MS);
    const { user, system } = process.cpuUsage(before);
    // The first rounds prepare statements and warm the compiler up.
    if (round >= 5) times.push((user + system) / 1_000);
  }
  return times;
}

async function inParallel(count: number, write: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const many = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => write(from + i));
    await Promise.all(many);
  }
}

function turnRow(name: string, change: Pick<Turn, 'status' | 'due_at'>): Turn {
  return {
    _id: `turn_${name}`,
    conversation_id: `conv_${name}`,
    number: 1,
    user_id: 'bench',
    client_message_id: name,
    content: 'What is 17 + 25?',
    options: {},
    at: new Date().toISOString(),
    ...change,
  };
}

async function writeStep(store: Store, turn: Turn, calls: string[]): Promise<void> {
  const { _id: turn_id, conversation_id, at } = turn;
  await store.commitStep({
    ...{
      _id: `${turn_id}:1`,
      turn_id,
      conversation_id,
      turn_number: 1,
      n: 1,
      attempt: 100,
      kind: 'model',
      at,
    },
    blocks: [{ type: 'text', text: 'It is 42, as it was before.' }],
    calls: calls.map((tool_call_id) => ({
      ...{ tool_call_id, tool_name: 'math.add', display_name: 'add', source: 'local', class: 'read' },
      ...{ arguments: { a: 17, b: 25 }, timeout_ms: 600_000, approval: 'none' },
    })),
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 100, output_tokens: 10, cached_tokens: 0 },
  });
}

async function writeOpenTurn(store: Store, index: number): Promise<void> {
  const turn = turnRow(`open_${index}`, { status: 'running', due_at: index });
  const callId = `call_${String(index).padStart(22, '0')}`;
  const { _id: turn_id, conversation_id, at } = turn;
  await store.insertTurn(turn);
  await writeStep(store, turn, [callId]);
  for (const workId of [turn_id, callId]) {
    const claim = { turn_id, conversation_id, owner: DRIVER, n: 1, purpose: 'run' as const, at };
    await store.claim({ _id: `${workId}:1`, ...claim });
  }
}

async function writeEndedConversation(store: Store, index: number): Promise<void> {
  const turn = turnRow(`ended_${index}`, { status: 'completed', due_at: null });
  const at = new Date().toISOString();
  const times = { created_at: at, updated_at: at };
  await store.insertConversation({
    ...{ _id: turn.conversation_id, user_id: 'bench', title: 'A talk', policy: 'enqueue' },
    ...times,
  });
  await store.insertTurn(turn);
  await writeStep(store, turn, []);
}
