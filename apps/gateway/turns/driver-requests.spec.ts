import { describe, expect, it } from '@jest/globals';
import type { Message } from '#contracts';
import type { PublishOutcome } from '#messaging';
import { systemTime, type Time } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import { standStill } from '../../../test/services/stand-still.js';
import { DriverRequests } from './driver-requests.js';

const DRIVER = 'orchestrator-1';

const LONG_CONNECTED_MS = 60_000;

function virtualTime(): Time & { clock: VirtualClock } {
  const random = new SeededRandom(1);
  return { clock: new VirtualClock(random), random };
}

function setUp(outcome: PublishOutcome = 'confirmed') {
  const time = virtualTime();
  const sent: { key: string; message: Message }[] = [];
  const bus = {
    send: (key: string, message: Message) => {
      sent.push({ key, message });
      return Promise.resolve(outcome);
    },
    connectedForMs: () => LONG_CONNECTED_MS,
  };
  const requests = new DriverRequests(bus, 'gateway-1', time);
  const requestId = () => (sent.at(-1)!.message.body as { request_id: string }).request_id;
  return { requests, sent, requestId, clock: time.clock };
}

describe('DriverRequests', () => {
  it('asks the driver on its control queue with a reply address', async () => {
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

  it('waits longer for text that would be lost than for text that arrives later', async () => {
    const { requests, requestId, clock } = setUp();
    const peeking = requests.peek('turn_1', DRIVER);
    await clock.advance(300);
    expect(await peeking).toBeUndefined();
    const stopping = requests.stop('turn_1', DRIVER);
    await clock.advance(900);
    requests.receive({ turn_id: 'turn_1', request_id: requestId() });
    expect(await stopping).toBe(true);
    const unanswered = requests.stop('turn_1', DRIVER);
    await clock.advance(1_000);
    expect(await unanswered).toBe(false);
  });

  it('returns at once without an answer when the driver is gone', async () => {
    expect(await setUp('returned').requests.stop('turn_1', DRIVER)).toBe(false);
    expect(await setUp('refused').requests.peek('turn_1', DRIVER)).toBeUndefined();
  });

  it.each([
    ['that arrived', 1],
    ['of a driver in this process that arrived', 2],
  ])('accepts an answer %s while its process was stalled', async (_what, rounds) => {
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
    const requests = new DriverRequests(bus, 'gateway-1', systemTime(), { 'turn.peek': 10, 'turn.stop': 10 });
    // Before the timers of the next round, not after them.
    await new Promise(setImmediate);
    expect(await requests.stop('turn_1', DRIVER)).toBe(true);
  });

  it('asks again for a while for the text of a driver that has not reconnected to the broker', async () => {
    const time = virtualTime();
    const outcomes: PublishOutcome[] = ['unknown', 'returned', 'confirmed'];
    let connectedForMs = 0;
    const bus = {
      send: (_key: string, { body }: Message) => {
        const outcome = outcomes.shift() ?? 'returned';
        const { request_id } = body as { request_id: string };
        const answer = { turn_id: 'turn_1', request_id, step: 1, attempt: 100, text: 'half' };
        if (outcome === 'confirmed') time.clock.soon(() => requests.receive(answer));
        return Promise.resolve(outcome);
      },
      connectedForMs: () => connectedForMs,
    };
    const requests = new DriverRequests(bus, 'gateway-1', time);
    const peeking = requests.peek('turn_1', DRIVER);
    await time.clock.advance(400);
    expect(await peeking).toMatchObject({ text: 'half' });
    expect(outcomes).toEqual([]);

    const inVain = requests.peek('turn_1', DRIVER);
    await time.clock.advance(650);
    expect(await inVain).toBeUndefined();
    outcomes.push('returned', 'confirmed');
    connectedForMs = LONG_CONNECTED_MS;
    expect(await requests.peek('turn_1', DRIVER)).toBeUndefined();
    expect(outcomes).toEqual(['confirmed']);
  });

  it('ignores answers about another turn or to a question that was not asked', async () => {
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
