import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Message, ProcessRow } from '#contracts';
import { createLogger } from '#observability';
import type { PublishOutcome } from '#messaging';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { OwnHeartbeats } from './liveness-rules.js';
import { Peers } from './peers.js';

const OWN = 'orchestrator-me';
const OTHER = 'worker-other';

describe('Peers', () => {
  let clock: VirtualClock;
  let rows: ProcessRow[];
  let listings: number;
  let isStoreDown: boolean;
  let own: OwnHeartbeats;
  let outcomes: PublishOutcome[];
  let sent: { key: string; message: Message }[];
  let connectedForMs: number;
  let peers: Peers;

  /** The answer, and how long it took. */
  async function askSuspect(): Promise<{ isSuspect: boolean; tookMs: number }> {
    const startedAt = clock.now();
    const asked = peers
      .isSuspect(OTHER)
      .then((isSuspect) => ({ isSuspect, tookMs: clock.now() - startedAt }));
    await clock.advance(5_000);
    return asked;
  }

  const row = (id: string, beat: number): ProcessRow => ({ _id: id, role: 'worker', host: 'h', beat });
  /** Rounds every 2 s; my own heartbeats succeed. */
  async function pass(ms: number): Promise<void> {
    for (const end = clock.now() + ms; clock.now() < end;) {
      await clock.advance(2_000);
      own = { ...own, lastSucceededAt: clock.now() };
      await peers.readRound();
    }
  }

  beforeEach(async () => {
    const random = new SeededRandom(1);
    clock = new VirtualClock(random);
    await clock.advance(100_000);
    rows = [row(OWN, 1), row(OTHER, 1)];
    listings = 0;
    isStoreDown = false;
    own = { lastFailedAt: null, lastSucceededAt: clock.now(), lastBegunAt: null, steadySince: null };
    outcomes = [];
    sent = [];
    connectedForMs = 60_000;
    peers = new Peers({
      store: {
        listProcesses: async () => {
          listings += 1;
          if (isStoreDown) throw new Error('store is down');
          return rows.map((each) => ({ ...each }));
        },
      },
      bus: {
        send: async (key, message) => {
          sent.push({ key, message });
          return outcomes.shift() ?? 'confirmed';
        },
        connectedForMs: () => connectedForMs,
      },
      ownIds: [OWN],
      own: () => own,
      logger: createLogger({ role: 'orchestrator', level: 'silent', pretty: false }),
      clock,
      random,
    });
    await peers.readRound();
  });

  describe('isDead', () => {
    it('is true 8 s after the last beat, and never of this process itself', async () => {
      await pass(6_000);
      expect(await peers.isDead(OTHER)).toBe(false);
      await pass(2_000);
      expect(await peers.isDead(OTHER)).toBe(true);
      expect(await peers.isDead(OWN)).toBe(false);
    });

    it('is false of a process that beats', async () => {
      for (let beat = 2; beat < 12; beat++) {
        rows = [row(OTHER, beat)];
        await pass(2_000);
      }
      expect(await peers.isDead(OTHER)).toBe(false);
    });

    it('is false of a process that was frozen and has beaten since the last round', async () => {
      await pass(8_000);
      rows = [row(OWN, 1), row(OTHER, 2)];
      expect(await peers.isDead(OTHER)).toBe(false);
    });

    it('is true once the row is gone, and stays true', async () => {
      rows = [row(OWN, 1)];
      await pass(2_000);
      expect(await peers.isDead(OTHER)).toBe(true);
      isStoreDown = true;
      expect(await peers.isDead(OTHER)).toBe(true);
    });

    it('reads again before it reports a process dead that it never saw', async () => {
      rows.push(row('worker-young', 0));
      const before = listings;
      expect(await peers.isDead('worker-young')).toBe(false);
      expect(await peers.isDead('worker-never')).toBe(true);
      expect(await peers.isDead('worker-never')).toBe(true);
      expect(listings).toBe(before + 2);
    });

    it('is immediately true of a process that left, for a caller that asks for a fresh listing', async () => {
      rows = [row(OWN, 1)];
      expect(await peers.isDead(OTHER)).toBe(false);
      expect(await peers.isGone(OTHER)).toBe(true);
      expect(await peers.isDead(OTHER)).toBe(true);
      rows = [];
      expect(await peers.isGone(OWN)).toBe(false);
    });

    it('is not immediately true of a process with a row, or while the store does not answer', async () => {
      expect(await peers.isGone(OTHER)).toBe(false);
      rows = [];
      isStoreDown = true;
      expect(await peers.isGone(OTHER)).toBe(false);
    });

    it('is false of an unknown process while the store does not answer', async () => {
      isStoreDown = true;
      expect(await peers.isDead('worker-never')).toBe(false);
    });

    it('shares listings among concurrent callers', async () => {
      const before = listings;
      const asked = Array.from({ length: 50 }, (_, index) => peers.isDead(`worker-${index}`));
      expect(await Promise.all(asked)).toEqual(asked.map(() => true));
      expect(listings - before).toBeLessThanOrEqual(2);
    });

    it('is false of every process for 23 s after a failed heartbeat of this one', async () => {
      await pass(6_000);
      own = { ...own, lastFailedAt: clock.now() };
      await pass(22_000);
      expect(await peers.isDead(OTHER)).toBe(false);
      await pass(2_000);
      expect(await peers.isDead(OTHER)).toBe(true);
    });
  });

  describe('of a worker that asks the ledger', () => {
    const WORKER = 'worker-lab--1';
    const LEDGER = 'orchestrator-1';
    let count: number;
    /** Rounds in which beats of workers do or do not come through. */
    async function passWith(ms: number, comesThrough: boolean): Promise<void> {
      for (const end = clock.now() + ms; clock.now() < end;) {
        if (comesThrough) count++;
        const ledger_beats = { lab: count };
        rows = [row(OWN, 1), row(WORKER, 1), { ...row(LEDGER, 1), role: 'orchestrator', ledger_beats }];
        await pass(2_000);
      }
    }
    beforeEach(() => {
      count = 1;
    });

    it('isDead is true 8 s after its last beat, while the beats of others come through', async () => {
      await passWith(8_000, true);
      expect(await peers.isDead(WORKER)).toBe(false);
      await passWith(4_000, true);
      expect(await peers.isDead(WORKER)).toBe(true);
    });

    it('isDead is false while no beat comes through, and for the time of a failed heartbeat after that', async () => {
      await passWith(4_000, true);
      await passWith(60_000, false);
      expect(await peers.isDead(WORKER)).toBe(false);
      expect(peers.listUnchangedFor(10_000)).not.toContain(WORKER);
      await passWith(22_000, true);
      expect(await peers.isDead(WORKER)).toBe(false);
      await passWith(8_000, true);
      expect(await peers.isDead(WORKER)).toBe(true);
    });

    it('isDead is false where no orchestrator serves its group', async () => {
      rows = [row(OWN, 1), row(WORKER, 1)];
      await pass(60_000);
      expect(await peers.isDead(WORKER)).toBe(false);
    });
  });

  it('lists the rows that have not changed for the sweeper’s time', async () => {
    await pass(20_000);
    expect(peers.listUnchangedFor(20_000)).toEqual([OTHER]);
    expect(peers.listUnchangedFor(30_000)).toEqual([]);
  });

  describe('isSuspect', () => {
    it('is true after two returned probes 1 s apart', async () => {
      outcomes = ['returned', 'refused'];
      expect(await askSuspect()).toEqual({ isSuspect: true, tookMs: 1_000 });
      expect(sent.map(({ key, message }) => [key, message.type])).toEqual([
        ['worker.other', 'probe'],
        ['worker.other', 'probe'],
      ]);
    });

    it('is false at once when the first probe arrives, and after the second when that one does', async () => {
      outcomes = ['confirmed'];
      expect(await askSuspect()).toEqual({ isSuspect: false, tookMs: 0 });
      expect(sent).toHaveLength(1);
      outcomes = ['returned', 'confirmed'];
      expect(await askSuspect()).toEqual({ isSuspect: false, tookMs: 1_000 });
    });

    it('is true within 10 s of its own reconnect for a process whose beat has not changed for 3 s', async () => {
      connectedForMs = 9_000;
      outcomes = ['returned', 'returned'];
      own = { ...own, steadySince: clock.now(), lastBegunAt: clock.now() };
      clock.every(2_000, () => (own = { ...own, lastBegunAt: clock.now() }));
      expect(await askSuspect()).toEqual({ isSuspect: true, tookMs: 3_000 });
    });

    it('is false of a process that beat in between, or about which more is known than a return', async () => {
      connectedForMs = 9_000;
      outcomes = ['returned', 'returned', 'refused', 'unknown', 'returned', 'refused'];
      own = { ...own, steadySince: clock.now(), lastBegunAt: clock.now() };
      clock.every(2_000, () => (own = { ...own, lastBegunAt: clock.now() }));
      clock.after(1_000, () => (rows = [row(OWN, 2), row(OTHER, 2)]));
      expect(await askSuspect()).toEqual({ isSuspect: false, tookMs: 3_000 });
      expect(sent).toHaveLength(1);
      outcomes.shift();
      expect(await askSuspect()).toEqual({ isSuspect: false, tookMs: 0 });
      expect(await askSuspect()).toEqual({ isSuspect: false, tookMs: 0 });
      // Its beat has stood still for long; the second probe is refused.
      expect(await askSuspect()).toEqual({ isSuspect: false, tookMs: 0 });
      expect(sent).toHaveLength(5);
    });

    it('probes a process once for all callers, and again later', async () => {
      outcomes = ['returned', 'returned'];
      const both = await Promise.all([
        Promise.all([peers.isSuspect(OTHER), peers.isSuspect(OTHER)]),
        clock.advance(1_000),
      ]);
      expect(both[0]).toEqual([true, true]);
      expect(sent).toHaveLength(2);
      expect((await askSuspect()).isSuspect).toBe(false);
      expect(sent).toHaveLength(3);
    });

    it('never probes this process itself', async () => {
      expect(await peers.isSuspect(OWN)).toBe(false);
      expect(sent).toEqual([]);
    });
  });

  it('counts the living processes of a role, without those whose row is gone or whose beat is stalled', async () => {
    rows = [row(OWN, 1), row('orchestrator-two', 1), row('orchestrator-three', 1), row(OTHER, 1)];
    await peers.readRound();
    expect([peers.countLiving('orchestrator'), peers.countLiving('worker')]).toEqual([3, 1]);
    rows = rows.filter(({ _id }) => _id !== 'orchestrator-two');
    await peers.readRound();
    expect(peers.countLiving('orchestrator')).toBe(2);
    for (let beat = 2; beat < 8; beat++) {
      rows = rows.map((each) => (each._id === OWN ? { ...each, beat } : each));
      await pass(2_000);
    }
    expect(peers.countLiving('orchestrator')).toBe(1);
  });
});
