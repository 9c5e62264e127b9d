import type { CallTicket, Switch } from '#contracts';
import type { FaultPoint } from '#faults';
import type { Bus } from '#messaging';
import type { Store } from '#store';
import type { Time } from '#time';
import type { HeldCall } from '#turn';
import type { JournalObserver } from './journal-observer.js';

/** Records for auditors: fields and a sentence, never values. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Knowledge of other processes. Both answers may be wrong, and no rule breaks because of that. */
export interface Peers {
  isDead(processId: string): Promise<boolean>;
  /** Probes: resolves after at most about two seconds. */
  isSuspect(processId: string): Promise<boolean>;
}

/** What operators have switched, as far as this process knows: it is told at once, or reads it within 2 s. */
export interface KnownSwitches {
  /** The switch that pauses the tool or its toolset. */
  pauseOf(toolName: string): Switch | undefined;
  /** An operator lets this process drain: it takes nothing new until that is undone. */
  readonly drains: boolean;
  /** The switch that refuses new turns. */
  readonly refusesTurns: Switch | undefined;
  /** All of them. */
  readonly all: readonly Switch[];
  /** Reads them again. Never rejects. */
  read(): Promise<void>;
  /** When it begins to drain, and when that is undone. */
  onDrain(listener: (drains: boolean) => void): void;
}

/** Everything needed to carry out a decision. `me` is the deciding process's id. */
export interface Ports extends Time {
  store: Store;
  bus: Bus;
  me: string;
  peers: Peers;
  log: Log;
  faultPoint: FaultPoint;
  observer: JournalObserver;
  /**
   * Of a call that is about to go to a group of workers without the store; see `CallTokens`. Absent: there is no such
   * group.
   */
  tokenOf?(ticket: Omit<CallTicket, 'token'>, call: HeldCall): string | undefined;
}
