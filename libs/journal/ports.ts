import type { FaultPoint } from '#faults';
import type { Bus } from '#messaging';
import type { Store } from '#store';
import type { Time } from '#time';

/** What is written down for auditors: fields and a sentence, never values. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What is known of other processes; both answers may be wrong, and no rule breaks by it. */
export interface Peers {
  isDead(processId: string): Promise<boolean>;
  /** Probes: resolves after at most about two seconds. */
  isSuspect(processId: string): Promise<boolean>;
}

/** Everything that carrying out a decision needs. `me` is the deciding process's id. */
export interface Ports extends Time {
  store: Store;
  bus: Bus;
  me: string;
  peers: Peers;
  log: Log;
  faultPoint: FaultPoint;
  /** For records that no log level hides. */
  auditLog: Pick<Log, 'info'>;
}
