import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { processIdSchema, controlKeySchema, controlKey, type Claim, type ProcessRow } from '#contracts';
import { createLogger } from '#observability';
import { FollowingClock, SystemRandom } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { Store } from '#store';
import { claimWhenKnown } from './claim-when-known.js';
import { Heartbeat } from './heartbeat.js';
import { createProcessId } from './process-identity.js';

const WALL_AHEAD_MS = 120_000;

const sampleRow: Claim = {
  _id: 'call_1:1',
  turn_id: 'turn_1',
  conversation_id: 'conv_1',
  owner: 'worker-1',
  n: 1,
  purpose: 'run',
  at: '2026-01-01T00:00:00.000Z',
};

class FakeStore {
  rows = new Map<string, ProcessRow>();
  fails = false;
  delayMs = 0;

  constructor(private readonly clock: VirtualClock) {}

  async insertProcess(row: ProcessRow): Promise<void> {
    this.rows.set(row._id, { ...row });
  }
  async beat(id: string): Promise<'beaten' | 'gone'> {
    if (this.delayMs > 0) await this.clock.sleep(this.delayMs);
    if (this.fails) throw new Error('store is down');
    const row = this.rows.get(id);
    if (!row) return 'gone';
    row.beat += 1;
    return 'beaten';
  }
  async removeProcess(id: string): Promise<void> {
    this.rows.delete(id);
  }
  async time(): Promise<number> {
    if (this.fails) throw new Error('store is down');
    return this.clock.wall();
  }
  async listProcesses(): Promise<ProcessRow[]> {
    return [...this.rows.values()];
  }
}

describe('Heartbeat', () => {
  const processId = createProcessId('worker', new SystemRandom());
  let clock: VirtualClock;
  let machine: ReturnType<VirtualClock['view']>;
  let followed: FollowingClock;
  let store: FakeStore;
  let onGone: jest.Mock<() => void>;
  let onRound: jest.Mock<() => void>;
  let heartbeat: Heartbeat;
  const beat = (): number | undefined => store.rows.get(processId)?.beat;

  beforeEach(async () => {
    clock = new VirtualClock(new SeededRandom(1));
    store = new FakeStore(clock);
    machine = clock.view({ wallAheadMs: WALL_AHEAD_MS });
    followed = new FollowingClock(machine);
    onGone = jest.fn<() => void>();
    onRound = jest.fn<() => void>();
    const logger = createLogger({ role: 'worker', level: 'silent', pretty: false });
    heartbeat = new Heartbeat({ store, role: 'worker', processId, logger, onGone, onRound, clock: followed });
    await heartbeat.start();
  });

  it('writes its row at once and beats every 2 s', async () => {
    expect(store.rows.get(processId)).toMatchObject({ role: 'worker', beat: 0, host: expect.any(String) });
    await clock.advance(6_000);
    expect(beat()).toBe(3);
    expect(onRound).toHaveBeenCalledTimes(4);
    expect(heartbeat.own().lastFailedAt).toBeNull();
  });

  it('takes the time of day from the store at once, and again soon after the machine’s clock was set', async () => {
    expect(followed.wall()).toBe(clock.wall());
    machine.jumpWall(-600_000);
    await clock.advance(10_000);
    expect(followed.wall()).toBe(clock.wall());
  });

  it('continues with the last known time while the store does not answer', async () => {
    store.fails = true;
    await clock.advance(60_000);
    expect(followed.wall()).toBe(clock.wall());
    store.fails = false;
    machine.jumpWall(5_000);
    await clock.advance(10_000);
    expect(followed.wall()).toBe(clock.wall());
  });

  it('reports the process as alive while its beats are in time', async () => {
    await clock.advance(5_900);
    let isKnown = false;
    void heartbeat.beKnown().then(() => (isKnown = true));
    await clock.runUntilIdle();
    expect(isKnown).toBe(true);
  });

  it('blocks claims of a process that lost the store until its next beat', async () => {
    const claims: Claim[] = [];
    const claimsAtRefresh: number[] = [];
    const claim = async (row: Claim) => {
      claims.push(row);
      return { won: true, row };
    };
    const guarded = claimWhenKnown(
      { claim, ping: async () => undefined } as Partial<Store> as Store,
      heartbeat,
      async () => void claimsAtRefresh.push(claims.length),
    );
    store.fails = true;
    await clock.advance(7_900);
    store.fails = false;
    let answer: unknown;
    void guarded.claim(sampleRow).then((given) => (answer = given));
    await clock.advance(50);
    expect(claims).toEqual([]);
    await clock.advance(2_000);
    expect(claims).toEqual([sampleRow]);
    // What it knew was as old as its last beat.
    expect(claimsAtRefresh).toEqual([0]);
    await guarded.claim(sampleRow);
    expect(claimsAtRefresh).toEqual([0]);
    expect(answer).toEqual({ won: true, row: sampleRow });
    await expect(guarded.ping()).resolves.toBeUndefined();
  });

  it('waits for the next beat after its machine was suspended, although its own clock stopped', async () => {
    machine.freeze({ host: true });
    await clock.advance(9_000);
    machine.thaw();
    const before = beat();
    const beats: (number | undefined)[] = [];
    void heartbeat.beKnown().then(() => beats.push(beat()));
    await clock.advance(2_100);
    expect(beats).toEqual([before! + 1]);
  });

  it('is not known by a beat that is acknowledged late, but by the next one', async () => {
    store.delayMs = 9_000;
    await clock.advance(9_000);
    let isKnown = false;
    void heartbeat.beKnown().then(() => (isKnown = true));
    // The first slow beat began at 2 s.
    await clock.advance(2_500);
    expect([beat(), isKnown]).toEqual([1, false]);
    store.delayMs = 0;
    await clock.advance(12_000);
    expect(isKnown).toBe(true);
  });

  it('releases callers that wait for a beat when it stops', async () => {
    store.fails = true;
    await clock.advance(60_000);
    let isKnown = false;
    void heartbeat.beKnown().then(() => (isKnown = true));
    await heartbeat.stop();
    await clock.runUntilIdle();
    expect(isKnown).toBe(true);
  });

  it('keeps its interval when the store is slow, one beat at a time', async () => {
    store.delayMs = 1_500;
    await clock.advance(8_000 + 1_500);
    expect(beat()).toBe(4);
  });

  it('records a failure and continues beating', async () => {
    store.fails = true;
    await clock.advance(2_000);
    const failedAt = heartbeat.own().lastFailedAt;
    expect(failedAt).toBe(clock.now());
    store.fails = false;
    await clock.advance(2_000);
    expect(heartbeat.own()).toEqual({
      lastFailedAt: failedAt,
      lastSucceededAt: clock.now(),
      lastBegunAt: clock.now(),
      steadySince: failedAt,
    });
    expect(onRound).toHaveBeenCalledTimes(2);
    expect(onGone).not.toHaveBeenCalled();
  });

  it('treats a gap between two beats as a failed one', async () => {
    store.delayMs = 7_000;
    await clock.advance(2_000 + 7_000);
    expect(heartbeat.own()).toEqual({
      lastFailedAt: clock.now(),
      lastSucceededAt: clock.now(),
      lastBegunAt: clock.now() - 7_000,
      steadySince: clock.now(),
    });
  });

  it('reports once that its row is gone, and stops beating', async () => {
    store.rows.clear();
    await clock.advance(10_000);
    expect(onGone).toHaveBeenCalledTimes(1);
    const { ran } = clock;
    await clock.advance(60_000);
    expect(clock.ran).toBe(ran);
  });

  it('removes its row when it leaves, and does not report that as a loss', async () => {
    store.delayMs = 500;
    await clock.advance(2_100);
    const leaving = heartbeat.leave();
    await clock.advance(10_000);
    await leaving;
    expect(store.rows.size).toBe(0);
    expect(onGone).not.toHaveBeenCalled();
    const { ran } = clock;
    await clock.advance(60_000);
    expect(clock.ran).toBe(ran);
  });
});

describe('createProcessId', () => {
  it('makes ids that the contracts accept, a new one each time', () => {
    const random = new SystemRandom();
    const id = createProcessId('gateway', random);
    expect(processIdSchema.safeParse(id).success).toBe(true);
    expect(controlKeySchema.safeParse(controlKey(id)).success).toBe(true);
    expect(createProcessId('gateway', random)).not.toBe(id);
  });
});
