import type { Clock, Timer } from '../clock.port.js';
import { repeatOn, sleepOn } from '../waits.js';
import { ProcessClock } from './process-clock.js';
import type { SeededRandom } from './seeded-random.js';
import { TaskQueue, type OwnedTask, type TaskOwner } from './task-queue.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');

/**
 * Time that moves only when told to, one task after the other: everything that follows from a task has run before the
 * next one begins. Tasks due at the same time run in an order drawn from the seed.
 */
export class VirtualClock implements Clock {
  private readonly tasks = new TaskQueue<OwnedTask>();
  private time = 0;
  private isRunning = false;
  /** The number of tasks that have run. */
  ran = 0;

  constructor(private readonly random: SeededRandom) {}

  now(): number {
    return this.time;
  }

  /** In whole milliseconds, like the machine's clock. */
  wall(): number {
    return Math.floor(START + this.time);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  after(ms: number, act: () => void): Timer {
    const task = this.schedule(ms, act);
    return { cancel: () => void (task.isCancelled = true) };
  }

  every(ms: number, act: () => void): Timer {
    return repeatOn(this, ms, act);
  }

  soon(act: () => void): void {
    this.after(0, act);
  }

  /** The clock of one process of this world. */
  view(options?: { wallAheadMs?: number }): ProcessClock {
    return new ProcessClock(this, options);
  }

  schedule(ms: number, act: () => void, owner?: TaskOwner): OwnedTask {
    const dueAt = this.time + Math.max(0, ms);
    const task: OwnedTask = { dueAt, order: this.random.float(), act, isCancelled: false, owner };
    this.tasks.add(task);
    return task;
  }

  /** Makes a held task due now, in an order drawn from the seed. */
  reschedule(task: OwnedTask): void {
    task.dueAt = Math.max(task.dueAt, this.time);
    task.order = this.random.float();
    this.tasks.add(task);
  }

  postpone(owner: TaskOwner, ms: number): void {
    this.tasks.rearrange((task) => {
      if (task.owner === owner) task.dueAt += ms;
    });
  }

  /** Runs the tasks that come due in the next `ms`. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await this.exclusively(async () => {
      await drain();
      while (await this.step(until));
      this.time = until;
    });
  }

  /** Runs all tasks that are due now, and those that they make due, while time stands still. */
  async runUntilIdle(): Promise<void> {
    await this.advance(0);
  }

  /**
   * Lets time pass until the condition holds. Rejects with an error that names `what` when that takes longer than
   * `limitMs`.
   */
  async runUntil(what: string, condition: () => boolean, limitMs: number): Promise<void> {
    const until = this.time + limitMs;
    await this.exclusively(async () => {
      await drain();
      while (!condition()) {
        if (await this.step(until)) continue;
        throw new Error(`Within ${limitMs} ms of virtual time this did not happen: ${what}`);
      }
    });
  }

  private async exclusively(work: () => Promise<void>): Promise<void> {
    if (this.isRunning) throw new Error('Time moves already: wait for the first move to end.');
    this.isRunning = true;
    try {
      await work();
    } finally {
      this.isRunning = false;
    }
  }

  /** Runs one task that is due until then; false when there is none. */
  private async step(until: number): Promise<boolean> {
    const next = this.tasks.peek();
    if (!next || next.dueAt > until) return false;
    this.tasks.take();
    this.time = Math.max(this.time, next.dueAt);
    if (next.owner?.state === 'frozen') next.owner.hold(next);
    else if (next.owner?.state !== 'dead') {
      this.ran++;
      next.act();
      await drain();
    }
    return true;
  }
}

/** Waits one real turn of the event loop: all micro-tasks run before it. */
function drain(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
