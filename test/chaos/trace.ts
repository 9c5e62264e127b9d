import type { ToolClass } from '#contracts';
import type { Life } from './life.js';

/** A tool began to run; nothing that happens later takes it back. */
export interface Start {
  order: number;
  toolCallId: string;
  attempt: number;
  toolClass: ToolClass;
  worker: string;
  workerWasRunning: boolean;
}

/** A Stop that was acknowledged to a client. */
export interface StopAck {
  order: number;
  turnId: string;
  mayBeRunning: string[];
}

/** What the world outside saw, in order: no store and no bus can change it. */
export class Trace {
  readonly starts: Start[] = [];
  readonly stops: StopAck[] = [];
  /** Turns that a client was told to be accepted, by client message id. */
  readonly accepted = new Map<string, Set<string>>();
  /** Calls whose tool reported that its connection broke. */
  readonly connectionsLost = new Set<string>();
  /** Lines of the processes' logs that say `error` or worse. */
  readonly errors: string[] = [];
  /** When each row was inserted, by the store's operation and the row's id. */
  private readonly insertedAt = new Map<string, number>();
  private order = 0;

  inserted(operation: string, rowId: string): void {
    this.insertedAt.set(`${operation} ${rowId}`, this.order++);
  }

  /** Infinity: never. */
  orderOf(operation: 'claim' | 'settle' | 'commitStep', rowId: string): number {
    return this.insertedAt.get(`${operation} ${rowId}`) ?? Infinity;
  }

  started(start: { toolCallId: string; attempt: number; toolClass: ToolClass; life: Life }): void {
    const { life, ...rest } = start;
    const { processId: worker, isRunning: workerWasRunning } = life;
    this.starts.push({ order: this.order++, ...rest, worker, workerWasRunning });
  }

  stopped(turnId: string, mayBeRunning: string[]): void {
    this.stops.push({ order: this.order++, turnId, mayBeRunning });
  }

  accept(clientMessageId: string, turnId: string): void {
    const turns = this.accepted.get(clientMessageId) ?? new Set();
    this.accepted.set(clientMessageId, turns.add(turnId));
  }
}
