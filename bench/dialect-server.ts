import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Turn } from '#contracts';
import { createStore } from '#store';
import { startBenchGateway } from './bench-gateway.js';

/*
 * A gateway whose turns all say the same. Told over IPC: { turns, tokens } waits until so many have been asked for,
 * answers `playing`, and plays them side by side.
 */

const CONTENT = 'Sixty-four characters of text, as a model writes it in a moment. ';

const store = createStore({ dataDir: ':memory:' });
await store.open();
const { port, gateway, publisher } = await startBenchGateway(store);
/** Those who are told of a turn at the moment. */
const streams = (gateway.dialectTurns as unknown as { open: Set<{ turnId: string; isDry: boolean }> }).open;
process.send?.({ port });
process.on('disconnect', () => process.exit());
process.on('message', ({ turns, tokens }: { turns: number; tokens: number }) => void play(turns, tokens));

async function play(count: number, tokens: number): Promise<void> {
  let turns: Turn[] = [];
  while (turns.length < count || streams.size < count) {
    await nextTurn();
    turns = await store.listUnendedTurnsOf('local');
  }
  process.send?.('playing');
  await Promise.all(turns.map((turn) => playTurn(turn, tokens)));
}

async function playTurn(turn: Turn, tokens: number): Promise<void> {
  const { _id: turn_id, conversation_id, number } = turn;
  const at = new Date().toISOString();
  const place = { conversation_id, turn_id, timestamp: at };
  const stream = [...streams].find((one) => one.turnId === turn_id);
  const claim = { _id: `${turn_id}:1`, turn_id, conversation_id, owner: 'orchestrator-bench' };
  await store.claim({ ...claim, n: 1, purpose: 'run', at });
  publisher.emit({ type: 'turn_started', ...place, number });
  publisher.emit({ type: 'step_started', ...place, step: 1, attempt: 100, settled: [] });
  for (let i = 0; i < tokens; i++) {
    const offset = i * CONTENT.length;
    publisher.emit({ type: 'token', ...place, step: 1, attempt: 100, content: CONTENT, offset });
    // The source is as fast as its reader: what is measured is not how much of it can be merged.
    do await nextTurn();
    while (stream?.isDry === false);
  }
  await end(turn, CONTENT.repeat(tokens));
}

async function end(turn: Turn, content: string): Promise<void> {
  const { _id: turn_id, conversation_id, number } = turn;
  const usage = { input_tokens: 1, output_tokens: 1, cached_tokens: 0 };
  const at = new Date().toISOString();
  const step = { _id: `${turn_id}:1`, turn_id, conversation_id, turn_number: number, n: 1, attempt: 100 };
  await store.commitStep({
    ...{ ...step, kind: 'model', blocks: [{ type: 'text', text: content }], calls: [] },
    ...{ stop_reason: 'end_turn', usage, at },
  });
  await store.setTurnStatus(turn_id, 'completed');
  const place = { conversation_id, turn_id, timestamp: at };
  const committed = { step: 1, attempt: 100, text_length: content.length, calls: [] };
  publisher.emit({ type: 'step_committed', ...place, ...committed });
  publisher.emit({ type: 'complete', ...place, message_id: step._id, content, usage });
}
