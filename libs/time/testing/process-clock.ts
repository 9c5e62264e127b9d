import type { Clock, Timer } from '../clock.port.js';
import { repeatOn, sleepOn } from '../waits.js';
import type { OwnedTask, TaskOwner } from './task-queue.js';

/** The world of the process. */
interface World extends Pick<Clock, 'now' | 'wall'> {
  schedule(ms: number, act: () => void, owner: TaskOwner): OwnedTask;
  reschedule(task: OwnedTask): void;
  postpone(owner: TaskOwner, ms: number): void;
}

/**
 * The clock of one process. While the process is frozen, nothing in it runs. At the thaw its time has jumped, and
 * overdue calls run in an order drawn from the seed. If the whole host was frozen, its monotonic clock stood still.
 */
export class ProcessClock implements Clock, TaskOwner {
  state: 'running' | 'frozen' | 'dead' = 'running';
  private readonly held: OwnedTask[] = [];
  private wallAheadMs: number;
  /** How long its monotonic clock stood still. */
  private stoodMs = 0;
  private frozenAt = 0;
  private isHostFrozen = false;

  constructor(
    private readonly world: World,
    { wallAheadMs = 0 }: { wallAheadMs?: number } = {},
  ) {
    this.wallAheadMs = wallAheadMs;
  }

  now(): number {
    return this.world.now() - this.stoodMs;
  }

  wall(): number {
    return Math.floor(this.world.wall() + this.wallAheadMs);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  after(ms: number, act: () => void): Timer {
    // Calls that a dead process schedules never run.
    const task = this.world.schedule(ms, act, this);
    return { cancel: () => void (task.isCancelled = true) };
  }

  every(ms: number, act: () => void): Timer {
    return repeatOn(this, ms, act);
  }

  soon(act: () => void): void {
    this.after(0, act);
  }

  /** Sets the machine's wall clock forward or back. */
  jumpWall(ms: number): void {
    this.wallAheadMs += ms;
  }

  /** SIGSTOP; with `host`, the whole machine is suspended. */
  freeze({ host = false } = {}): void {
    if (this.state !== 'running') throw new Error(`A process that is ${this.state} cannot be frozen.`);
    this.state = 'frozen';
    this.frozenAt = this.world.now();
    this.isHostFrozen = host;
  }

  thaw(): void {
    if (this.state !== 'frozen') throw new Error(`A process that is ${this.state} cannot be thawed.`);
    this.state = 'running';
    const frozenMs = this.world.now() - this.frozenAt;
    if (this.isHostFrozen) {
      this.stoodMs += frozenMs;
      this.world.postpone(this, frozenMs);
    }
    for (const task of this.held.splice(0)) {
      if (this.isHostFrozen) task.dueAt += frozenMs;
      this.world.reschedule(task);
    }
  }

  /** SIGKILL: nothing in the process runs from now on. */
  kill(): void {
    this.state = 'dead';
    this.held.length = 0;
  }

  hold(task: OwnedTask): void {
    this.held.push(task);
  }
}
