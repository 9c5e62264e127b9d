import { beforeEach, describe, expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { Catalogue } from './catalogue.js';
import { LostWorkers } from './lost-workers.js';
import { announcedTool, announcedToolset } from './testing/toolsets.js';

const toolsets = [announcedToolset('math', [announcedTool('math', 'add')])];
let clock: VirtualClock;
let catalogue: Catalogue;
let lost: LostWorkers;
/** What was asked and has no answer yet. */
let asked: { worker: string; answer: (isLost: boolean) => void; fail: () => void }[];
let changes: number;

beforeEach(() => {
  clock = new VirtualClock(new SeededRandom(1));
  catalogue = new Catalogue();
  asked = [];
  changes = 0;
  const isLost = (worker: string) =>
    new Promise<boolean>((answer, reject) =>
      asked.push({ worker, answer, fail: () => reject(new Error('no broker')) }),
    );
  lost = new LostWorkers(catalogue, { clock, peers: { isLost } }, () => changes++);
  catalogue.announce('worker-1', toolsets, clock.now());
});

describe('a worker that has announced itself', () => {
  it('is set aside when it is lost, and listeners are notified', async () => {
    await clock.advance(1_000);
    asked[0]!.answer(true);
    await clock.advance(0);
    expect([catalogue.offered(), changes]).toEqual([[], 1]);
    await clock.advance(5_000);
    expect(asked).toHaveLength(1);
  });

  it('stays counted when it announces itself during the check, although it seems lost', async () => {
    await clock.advance(1_000);
    catalogue.announce('worker-1', toolsets, clock.now());
    asked[0]!.answer(true);
    await clock.advance(0);
    expect([catalogue.offered().length, changes]).toEqual([1, 0]);
  });

  it('is checked by one request at a time, and again when the request failed', async () => {
    await clock.advance(5_000);
    expect(asked.map(({ worker }) => worker)).toEqual(['worker-1']);
    asked[0]!.fail();
    await clock.advance(1_000);
    expect(asked).toHaveLength(2);
    lost.close();
    asked[1]!.answer(false);
    await clock.advance(5_000);
    expect([catalogue.offered().length, asked.length]).toEqual([1, 2]);
  });
});
