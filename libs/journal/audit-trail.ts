import type { AuditRecord } from '#contracts';
import { StoreUnavailableError, type Store } from '#store';
import { yieldToEventLoop, type Random, type Time, type Timer } from '#time';
import type { Log } from './ports.js';

/** Where the deployment says nothing. */
export const DEFAULT_AUDIT_DAYS = 30;
/** Calls that end together are one write. */
const WRITE_AFTER_MS = 500;
const RETRY_AFTER_MS = 5_000;
const ROWS_AT_ONCE = 200;
/** While the store is down. */
const MAX_WAITING = 10_000;
const REMOVE_EVERY_MS = 60_000;
const REMOVED_AT_ONCE = 1_000;
const DAY_MS = 24 * 3_600_000;

export function auditRecord(record: Omit<AuditRecord, '_id'>, random: Pick<Random, 'id'>): AuditRecord {
  return { _id: `${record.at}-${random.id()}`, ...record };
}

export interface AuditTrailDeps extends Time {
  store: Pick<Store, 'putAuditRecords' | 'removeOldAuditRecords'>;
  log: Pick<Log, 'warn'>;
  /** 0: no records are kept, and those of before are removed. */
  days: number;
}

/**
 * Keeps audit records in the store, in batches, after the outcome that they are about: nothing waits for them. A process
 * that is killed loses those of its last half second, and one whose store stays down the oldest above 10,000; their log
 * lines have been written. Removes those that are older than `days`.
 */
export class AuditTrail {
  private waiting: AuditRecord[] = [];
  private dropped = 0;
  private writeTimer: Timer | undefined;
  private removeTimer: Timer | undefined;
  private writing: Promise<void> | undefined;
  private isClosed = false;

  constructor(private readonly deps: AuditTrailDeps) {}

  /** Begins to remove what is too old. */
  start(): void {
    const { clock } = this.deps;
    this.removeTimer = clock.after(REMOVE_EVERY_MS, () => void this.removeOld(), { unref: true });
  }

  keep(record: Omit<AuditRecord, '_id'>): void {
    if (this.deps.days === 0) return;
    this.waiting.push(auditRecord(record, this.deps.random));
    if (this.waiting.length > MAX_WAITING) {
      this.waiting.shift();
      this.dropped++;
    }
    this.writeLater(WRITE_AFTER_MS);
  }

  /** Writes what waits, once. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.removeTimer?.cancel();
    this.writeTimer?.cancel();
    await this.writing;
    await this.write();
  }

  private writeLater(afterMs: number): void {
    if (this.isClosed || this.writeTimer || this.writing) return;
    this.writeTimer = this.deps.clock.after(
      afterMs,
      () => {
        this.writeTimer = undefined;
        this.writing = this.write().finally(() => {
          this.writing = undefined;
          if (this.waiting.length > 0) this.writeLater(RETRY_AFTER_MS);
        });
      },
      { unref: true },
    );
  }

  private async write(): Promise<void> {
    const { store, log } = this.deps;
    while (this.waiting.length > 0) {
      const rows = this.waiting.slice(0, ROWS_AT_ONCE);
      try {
        await store.putAuditRecords(rows);
      } catch (error) {
        if (error instanceof StoreUnavailableError) return;
        log.warn({ records: rows.length, reason: (error as Error).message }, 'audit records not kept');
      }
      // More may have come meanwhile, and the oldest may have been dropped.
      const written = new Set(rows);
      this.waiting = this.waiting.filter((row) => !written.has(row));
    }
    if (this.dropped > 0) log.warn({ records: this.dropped }, 'audit records not kept, too many waited');
    this.dropped = 0;
  }

  private async removeOld(): Promise<void> {
    const { store, clock, days, log } = this.deps;
    try {
      const before = new Date(clock.wall() - days * DAY_MS).toISOString();
      while ((await store.removeOldAuditRecords(before, REMOVED_AT_ONCE)) === REMOVED_AT_ONCE)
        await yieldToEventLoop(clock);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError))
        log.warn({ reason: (error as Error).message }, 'old audit records not removed');
    }
    if (!this.isClosed) this.start();
  }
}
