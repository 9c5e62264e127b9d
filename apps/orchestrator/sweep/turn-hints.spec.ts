import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Message, Turn } from '#contracts';
import type { Bus } from '#messaging';
import { SeededRandom, VirtualClock } from '#time/testing';
import { TurnHints } from './turn-hints.js';

const random = new SeededRandom(1);
let clock: VirtualClock;
let ready: number;
let looks: number;
let hinted: string[];
let driven: number;
beforeEach(() => {
  clock = new VirtualClock(random);
  [ready, looks, driven, hinted] = [0, 0, 0, []];
});

const bus = {
  inspect: async () => {
    looks++;
    return { consumers: 1, messages: ready };
  },
  publish: async (_queue: string, message: Message) => {
    hinted.push((message as Message<'turn.advance'>).body.turn_id);
    return 'confirmed';
  },
} as unknown as Bus;
const log = { info: () => {}, warn: () => {}, error: () => {} };

const shared = (turnsAtOnce: number) =>
  new TurnHints({ bus, log, clock, random }, { share: 0.25, turnsAtOnce, driven: () => driven });
const turnsOf = (user: string, count: number): Turn[] =>
  Array.from(
    { length: count },
    (_, n) => ({ _id: `turn_${user}${n}`, conversation_id: `conv_${user}${n}`, user_id: user }) as Turn,
  );
const of = (user: string) => hinted.filter((id) => id.startsWith(`turn_${user}`)).length;

describe('turns without a driver', () => {
  it('are hinted one per user in turn, up to the free places and a few more', async () => {
    await shared(8).send([...turnsOf('greedy', 40), ...turnsOf('ann', 1), ...turnsOf('bob', 2)]);
    expect(hinted.slice(0, 3)).toEqual(['turn_greedy0', 'turn_ann0', 'turn_bob0']);
    expect([hinted.length, of('ann'), of('bob'), of('greedy')]).toEqual([10, 1, 2, 7]);
  });

  it('are hinted two per user while others wait, and not at all while very many wait', async () => {
    ready = 1;
    await shared(200).send([...turnsOf('greedy', 40), ...turnsOf('ann', 1)]);
    expect([of('greedy'), of('ann')]).toEqual([2, 1]);
    ready = 101;
    await shared(200).send(turnsOf('bob', 1));
    expect(of('bob')).toBe(0);
  });

  it('are hinted as turns end: one check for all that end together, without a read', async () => {
    const hints = shared(4);
    await hints.send(turnsOf('greedy', 20));
    expect(hinted).toHaveLength(6);
    driven = 3;
    for (let ended = 0; ended < 5; ended++) hints.noteRoom();
    await clock.advance(250);
    expect([hinted.length, looks]).toEqual([6 + 1 + 2, 2]);
    expect(new Set(hinted).size).toBe(9);
    hints.stop();
    hints.noteRoom();
    await clock.advance(250);
    expect(looks).toBe(2);
  });

  it('are all hinted when nothing is shared: without accounts, or with the whole as the share', async () => {
    await shared(4).send(turnsOf('local', 40));
    expect(of('local')).toBe(40);
    await new TurnHints({ bus, log, clock, random }, { share: 1, turnsAtOnce: 4, driven: () => 0 }).send(
      turnsOf('ann', 40),
    );
    expect(of('ann')).toBe(40);
  });
});
