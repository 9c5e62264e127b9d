import { switchIdOf, type LogLevel, type Switch, type SwitchKind } from '#contracts';
import type { KnownSwitches } from '#journal';
import type { Logger } from '#observability';
import type { Store } from '#store';
import { toolsetOf } from '#turn';

export interface SwitchesOptions {
  processId: string;
  store: Pick<Store, 'listSwitches'>;
  logger: Pick<Logger, 'warn' | 'debug'>;
}

/** This process's copy of the switches. While the store does not answer, the last answer counts. */
export class Switches implements KnownSwitches {
  private rows: ReadonlyMap<string, Switch> = new Map();
  private readonly listeners: (() => void)[] = [];
  private reading: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private isFailing = false;

  constructor(private readonly options: SwitchesOptions) {}

  pauseOf(toolName: string): Switch | undefined {
    if (this.rows.size === 0) return undefined;
    return this.find('toolset', toolsetOf(toolName)) ?? this.find('tool', toolName);
  }

  get all(): readonly Switch[] {
    return [...this.rows.values()];
  }

  get drains(): boolean {
    return this.find('process', this.options.processId) !== undefined;
  }

  get refusesTurns(): Switch | undefined {
    return this.find('turns', 'all');
  }

  /** The log level that an operator chose for this process, or for all. */
  get logLevel(): LogLevel | undefined {
    return (this.find('logs', this.options.processId) ?? this.find('logs', 'all'))?.level;
  }

  onDrain(listener: (drains: boolean) => void): void {
    this.follow(() => this.drains, listener);
  }

  onLogLevel(listener: (level: LogLevel | undefined) => void): void {
    this.follow(() => this.logLevel, listener);
  }

  /** A read that is under way may have missed what the caller knows of, so another one follows it. */
  read(): Promise<void> {
    if (!this.reading) return (this.reading = this.readOnce().finally(() => (this.reading = undefined)));
    this.next ??= this.reading.then(() => {
      this.next = undefined;
      return this.read();
    });
    return this.next;
  }

  private follow<T>(current: () => T, listener: (value: T) => void): void {
    let before = current();
    this.listeners.push(() => {
      const now = current();
      if (now === before) return;
      before = now;
      listener(now);
    });
  }

  private find(kind: SwitchKind, name: string): Switch | undefined {
    return this.rows.get(switchIdOf(kind, name));
  }

  private async readOnce(): Promise<void> {
    const { store, logger } = this.options;
    try {
      const rows = await store.listSwitches();
      this.isFailing = false;
      if (rows.length === 0 && this.rows.size === 0) return;
      this.rows = new Map(rows.map((row) => [row._id, row]));
      for (const listener of this.listeners) listener();
    } catch (error) {
      logger[this.isFailing ? 'debug' : 'warn']({ err: error }, 'reading the switches failed');
      this.isFailing = true;
    }
  }
}
