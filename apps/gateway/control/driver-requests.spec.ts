import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Message } from '#contracts';
import type { PublishOutcome } from '#messaging';
import { standStill } from '../../../test/services/stand-still.js';
import { DriverRequests } from './driver-requests.js';

const DRIVER = 'orchestrator-1';

const LONG_CONNECTED_MS = 60_000;
const within = (timeoutMs: number) => ({ 'turn.peek': timeoutMs, 'turn.stop': timeoutMs });

function setUp(outcome: PublishOutcome = 'confirmed', timeoutsMs?: ReturnType<typeof within>) {
  const sent: { key: string; message: Message }[] = [];
  const bus = {
    send: (key: string, message: Message) => {
      sent.push({ key, message });
      return Promise.resolve(outcome);
    },
    connectedForMs: () => LONG_CONNECTED_MS,
  };
  const requests = new DriverRequests(bus, 'gateway-1', timeoutsMs);
  const requestId = () => (sent.at(-1)!.message.body as { request_id: string }).request_id;
  return { requests, sent, requestId };
}

describe('DriverRequests', () => {
  afterEach(() => void jest.useRealTimers());

  it('asks the driver on its control queue and says where to answer', async () => {
    const { requests, sent, requestId } = setUp();
    const peeking = requests.peek('turn_1', DRIVER);
    expect(sent[0]).toMatchObject({
      key: 'orchestrator.1',
      message: { type: 'turn.peek', body: { turn_id: 'turn_1', reply_to: 'gateway.1' } },
    });
    const partial = { turn_id: 'turn_1', step: 1, attempt: 100, text: 'half' };
    requests.receive({ ...partial, request_id: requestId() });
    expect(await peeking).toEqual(partial);
  });

  it('waits longer for a text that would be lost than for one that is told later', async () => {
    jest.useFakeTimers();
    const { requests, requestId } = setUp();
    const peeking = requests.peek('turn_1', DRIVER);
    await jest.advanceTimersByTimeAsync(300);
    expect(await peeking).toBeUndefined();
    const stopping = requests.stop('turn_1', DRIVER);
    await jest.advanceTimersByTimeAsync(900);
    requests.receive({ turn_id: 'turn_1', request_id: requestId() });
    expect(await stopping).toBe(true);
    const unanswered = requests.stop('turn_1', DRIVER);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await unanswered).toBe(false);
  });

  it('does without an answer after a while, or at once when the driver is gone', async () => {
    expect(await setUp('confirmed', within(1)).requests.stop('turn_1', DRIVER)).toBe(false);
    expect(await setUp('returned').requests.stop('turn_1', DRIVER)).toBe(false);
    expect(await setUp('refused').requests.peek('turn_1', DRIVER)).toBeUndefined();
  });

  it.each([
    ['that came', 1],
    ['of a driver in this process that came', 2],
  ])('takes an answer %s while its process stood still', async (_what, rounds) => {
    const bus = {
      send: (_key: string, { body }: Message) => {
        const { request_id } = body as { request_id: string };
        const answer = () => requests.receive({ turn_id: 'turn_1', request_id });
        setImmediate(rounds === 1 ? answer : () => setImmediate(answer));
        standStill(20);
        return Promise.resolve('confirmed' as const);
      },
      connectedForMs: () => LONG_CONNECTED_MS,
    };
    const requests = new DriverRequests(bus, 'gateway-1', within(10));
    // Before the timers of the next round, not after them.
    await new Promise(setImmediate);
    expect(await requests.stop('turn_1', DRIVER)).toBe(true);
  });

  it('asks again for the text of a driver that is not back at the broker yet, for a while', async () => {
    // Only the pause between two questions is real: however long it takes, no other time passes.
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    const outcomes: PublishOutcome[] = ['unknown', 'returned', 'confirmed'];
    let connectedForMs = 0;
    const bus = {
      send: (_key: string, { body }: Message) => {
        const outcome = outcomes.shift() ?? 'returned';
        const { request_id } = body as { request_id: string };
        const answer = { turn_id: 'turn_1', request_id, step: 1, attempt: 100, text: 'half' };
        if (outcome === 'confirmed') setImmediate(() => requests.receive(answer));
        return Promise.resolve(outcome);
      },
      connectedForMs: () => connectedForMs,
    };
    const requests = new DriverRequests(bus, 'gateway-1');
    const peeking = requests.peek('turn_1', DRIVER);
    await jest.advanceTimersByTimeAsync(300);
    expect(await peeking).toMatchObject({ text: 'half' });
    expect(outcomes).toEqual([]);

    const inVain = requests.peek('turn_1', DRIVER);
    await jest.advanceTimersByTimeAsync(600);
    expect(await inVain).toBeUndefined();
    outcomes.push('returned', 'confirmed');
    connectedForMs = LONG_CONNECTED_MS;
    expect(await requests.peek('turn_1', DRIVER)).toBeUndefined();
    expect(outcomes).toEqual(['confirmed']);
  });

  it('takes no answer about another turn or to a question that nobody asked', async () => {
    const { requests, requestId } = setUp();
    const stopping = requests.stop('turn_1', DRIVER);
    requests.receive({ turn_id: 'turn_1', request_id: 'unknown' });
    requests.receive({ turn_id: 'turn_2', request_id: requestId() });
    const settled = await Promise.race([stopping, Promise.resolve('waiting')]);
    expect(settled).toBe('waiting');
    requests.receive({ turn_id: 'turn_1', request_id: requestId() });
    expect(await stopping).toBe(true);
  });
});
