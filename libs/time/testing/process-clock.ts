import type { Clock, Timer } from '../clock.port.js';
import type { OwnedTask, TaskOwner } from './task-queue.js';
import { repeatOn, sleepOn } from '../waits.js';

/** The world that it is a part of. */
interface World extends Pick<Clock, 'now' | 'wall'> {
  schedule(ms: number, act: () => void, owner: TaskOwner): OwnedTask;
  reschedule(task: OwnedTask): void;
  postpone(owner: TaskOwner, ms: number): void;
}

/**
 * The clock of one process. While the process is frozen nothing of it happens; at the thaw its time has jumped and what
 * is overdue comes in an order drawn from the seed. Where the whole host was frozen its monotonic clock stood.
 */
export class ProcessClock implements Clock, TaskOwner {
  state: 'running' | 'frozen' | 'dead' = 'running';
  private readonly held: OwnedTask[] = [];
  private wallAheadMs: number;
  /** Of its monotonic clock. */
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
    // What a dead process still asks for never comes.
    const task = this.world.schedule(ms, act, this);
    return { cancel: () => void (task.isCancelled = true) };
  }

  every(ms: number, act: () => void): Timer {
    return repeatOn(this, ms, act);
  }

  soon(act: () => void): void {
    this.after(0, act);
  }

  /** Somebody sets the machine's clock. */
  jumpWall(ms: number): void {
    this.wallAheadMs += ms;
  }

  /** SIGSTOP; with `host`, the machine under it is suspended. */
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

  /** SIGKILL: nothing of it happens any more. */
  kill(): void {
    this.state = 'dead';
    this.held.length = 0;
  }

  hold(task: OwnedTask): void {
    this.held.push(task);
  }
}
