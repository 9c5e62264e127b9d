import { describe, expect, it } from '@jest/globals';
import { decodeMessage, encodeMessage, MAX_MESSAGE_BYTES, type Message } from '#contracts';
import { SeededRandom, VirtualClock } from '#time/testing';
import { MinuteLimit } from './minute-limit.js';
import { SharedCounts } from './shared-counts.js';

const ID = (n: number) => `gateway-00000000-0000-4000-8000-00000000000${n}`;

/** As many gateways as asked for, each with a limit of three a minute; `sent` is what went over the bus. */
function setUp(count = 2) {
  const random = new SeededRandom(1);
  const time = { clock: new VirtualClock(random), random };
  const sent: Message<'limits.counted'>[] = [];
  const gateways = Array.from({ length: count }, (_, n) => {
    const send = (_key: string, message: Message) => {
      sent.push(message as Message<'limits.counted'>);
      for (const { counts } of gateways) counts.receive((message as Message<'limits.counted'>).body);
      return Promise.resolve('confirmed' as const);
    };
    const counts = new SharedCounts({ send }, ID(n), time);
    const limit = new MinuteLimit({ what: 'things', perUser: 3, inAll: 100 }, time.clock);
    counts.share('things', limit);
    return { counts, limit };
  });
  return { sent, gateways, clock: time.clock };
}

describe('SharedCounts', () => {
  it('limits all gateways together, one second later', async () => {
    const { gateways, clock } = setUp(3);
    const [first, second, third] = gateways.map(({ limit }) => limit);
    first!.take('ann');
    second!.take('ann');
    await clock.advance(1_000);
    third!.take('ann');
    for (const limit of [first!, second!]) limit.take('bob');
    expect(() => third!.take('ann')).toThrow('Too many things');
    await clock.advance(1_000);
    for (const limit of [first!, second!]) expect(() => limit.take('ann')).toThrow('Too many things');
    await clock.advance(60_000);
    first!.take('ann');
  });

  it('sends its counts once a second, and nothing when nothing changed', async () => {
    const { sent, gateways, clock } = setUp();
    for (const name of ['ann', 'ann', 'bob']) gateways[0]!.limit.take(name);
    gateways[0]!.limit.take('carol');
    gateways[0]!.limit.giveBack('carol');
    await clock.advance(10_000);
    const told = sent.map(({ body }) => body.counts.map(({ key, count }) => [key, count]));
    expect(told).toEqual([
      [
        ['ann', 2],
        ['bob', 1],
      ],
    ]);
    const { ran } = clock;
    await clock.advance(10_000);
    expect(clock.ran).toBe(ran);
  });

  it('returns on other gateways a count that was sent and given back', async () => {
    const { gateways, clock } = setUp();
    const [first, second] = gateways.map(({ limit }) => limit);
    for (let i = 0; i < 3; i++) first!.take('ann');
    await clock.advance(1_000);
    expect(() => second!.take('ann')).toThrow('Too many things');
    first!.giveBack('ann');
    await clock.advance(1_000);
    second!.take('ann');
    expect(() => second!.take('ann')).toThrow('Too many things');
  });

  it('never returns a count of another gateway', async () => {
    const { gateways, clock } = setUp();
    gateways[0]!.limit.take('ann');
    await clock.advance(1_000);
    gateways[1]!.limit.giveBack('ann');
    for (let i = 0; i < 2; i++) gateways[1]!.limit.take('ann');
    expect(() => gateways[1]!.limit.take('ann')).toThrow('Too many things');
  });

  it('sends the rest when it stops, in messages that fit the contract, without keys that are too long', async () => {
    const { sent, gateways, clock } = setUp();
    const { counts } = gateways[0]!;
    const many = new MinuteLimit({ what: 'many', perUser: 1, inAll: 10_000 }, clock);
    counts.share('many', many);
    for (let i = 0; i < 2_500; i++) many.take(`user ${i}`);
    many.take('x'.repeat(513));
    counts.stop();
    expect(sent.map(({ body }) => body.counts.length)).toEqual([2_000, 500]);
    for (const message of sent)
      expect(decodeMessage(encodeMessage(message), 'control')).toMatchObject({ ok: true });
    await clock.advance(10_000);
    expect(sent).toHaveLength(2);
  });

  it('sends long keys in messages that the bus accepts', async () => {
    const { sent, gateways, clock } = setUp();
    const { counts } = gateways[0]!;
    const many = new MinuteLimit({ what: 'many', perUser: 1, inAll: 10_000 }, clock);
    counts.share('many', many);
    // Six bytes each as JSON.
    const keys = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(512, '\u0001'));
    for (const key of keys) many.take(key);
    counts.stop();
    const sizes = sent.map((message) => encodeMessage(message).byteLength);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(MAX_MESSAGE_BYTES - 4_000);
    expect(sent.flatMap(({ body }) => body.counts.map(({ key }) => key))).toEqual(keys);
  });
});
