import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { processIdSchema, controlKeySchema, controlKey, type ProcessRow } from '#contracts';
import { createLogger } from '#observability';
import { Heartbeat } from './heartbeat.js';
import { createProcessId } from './process-identity.js';

class FakeStore {
  rows = new Map<string, ProcessRow>();
  fails = false;
  delayMs = 0;
  async insertProcess(row: ProcessRow): Promise<void> {
    this.rows.set(row._id, { ...row });
  }
  async beat(id: string): Promise<'beaten' | 'gone'> {
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    if (this.fails) throw new Error('store is down');
    const row = this.rows.get(id);
    if (!row) return 'gone';
    row.beat += 1;
    return 'beaten';
  }
  async removeProcess(id: string): Promise<void> {
    this.rows.delete(id);
  }
  async listProcesses(): Promise<ProcessRow[]> {
    return [...this.rows.values()];
  }
}

describe('Heartbeat', () => {
  const processId = createProcessId('worker');
  let store: FakeStore;
  let onGone: jest.Mock<() => void>;
  let onRound: jest.Mock<() => void>;
  let heartbeat: Heartbeat;
  const beat = (): number | undefined => store.rows.get(processId)?.beat;

  beforeEach(async () => {
    jest.useFakeTimers();
    store = new FakeStore();
    onGone = jest.fn<() => void>();
    onRound = jest.fn<() => void>();
    const logger = createLogger({ role: 'worker', level: 'silent', pretty: false });
    heartbeat = new Heartbeat({ store, role: 'worker', processId, logger, onGone, onRound });
    await heartbeat.start();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await heartbeat.stop();
  });

  it('writes its row at once and beats every 2 s', async () => {
    expect(store.rows.get(processId)).toMatchObject({ role: 'worker', beat: 0, host: expect.any(String) });
    await jest.advanceTimersByTimeAsync(6_000);
    expect(beat()).toBe(3);
    expect(onRound).toHaveBeenCalledTimes(4);
    expect(heartbeat.own().lastFailedAt).toBeNull();
  });

  it('keeps its rhythm when the store is slow, one beat at a time', async () => {
    store.delayMs = 1_500;
    await jest.advanceTimersByTimeAsync(8_000 + 1_500);
    expect(beat()).toBe(4);
  });

  it('remembers a failure and goes on beating', async () => {
    store.fails = true;
    await jest.advanceTimersByTimeAsync(2_000);
    const failedAt = heartbeat.own().lastFailedAt;
    expect(failedAt).toBe(performance.now());
    store.fails = false;
    await jest.advanceTimersByTimeAsync(2_000);
    expect(heartbeat.own()).toEqual({ lastFailedAt: failedAt, lastSucceededAt: performance.now() });
    expect(onRound).toHaveBeenCalledTimes(2);
    expect(onGone).not.toHaveBeenCalled();
  });

  it('takes a hole between two beats for a failed one', async () => {
    store.delayMs = 7_000;
    await jest.advanceTimersByTimeAsync(2_000 + 7_000);
    expect(heartbeat.own()).toEqual({ lastFailedAt: performance.now(), lastSucceededAt: performance.now() });
  });

  it('says once that its row is gone, and beats no more', async () => {
    store.rows.clear();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(onGone).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('removes its row when it leaves, without taking that for an accident', async () => {
    store.delayMs = 500;
    await jest.advanceTimersByTimeAsync(2_100);
    const leaving = heartbeat.leave();
    await jest.advanceTimersByTimeAsync(10_000);
    await leaving;
    expect(store.rows.size).toBe(0);
    expect(onGone).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('createProcessId', () => {
  it('makes ids that the contracts accept, a new one each time', () => {
    const id = createProcessId('gateway');
    expect(processIdSchema.safeParse(id).success).toBe(true);
    expect(controlKeySchema.safeParse(controlKey(id)).success).toBe(true);
    expect(createProcessId('gateway')).not.toBe(id);
  });
});
