import type { Bus } from '#messaging';
import type { Health, Logger } from '#observability';
import type { Store } from '#store';
import { settledWithin, type Clock } from '#time';

export const DEFAULT_DRAIN_GRACE_MS = 10_000;
/** The limit for each of the last acts: a broker, store or collector that is down must not keep the process. */
const CLOSE_TIMEOUT_MS = 3_000;
/** `npm start` forwards the Ctrl C that the terminal has already sent to the whole process group. */
const SAME_SIGNAL_MS = 500;
const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;
type DrainSignal = keyof typeof SIGNAL_NUMBERS;

/** Finishes or drops unfinished work within `graceMs`; anything left after that is abandoned. */
export type DrainStep = (graceMs: number) => Promise<void>;

export interface DrainOptions {
  logger: Logger;
  health: Pick<Health, 'markDraining'>;
  /** Removes the `processes` row (or rows). */
  leave: () => Promise<void>;
  bus: Pick<Bus, 'close'>;
  /** Absent: the process has none. */
  store?: Pick<Store, 'close'>;
  /** Sends the spans that are left. */
  stopTracing?: () => Promise<void>;
  graceMs?: number;
  exit?: (code: number) => void;
  clock: Clock;
  /** The emitter of the signals. */
  source?: Pick<NodeJS.Process, 'on'>;
}

/**
 * The orderly end of a process: readiness off → steps in the order they were added, in one grace time → its row removed
 * → bus closed, store closed, last spans sent → exit 0. The row is removed before the connections close, so that
 * processes that get the freed hints already find their owner dead. A second signal, not the echo of the first, exits at
 * once.
 */
export class Drain {
  private readonly steps: { name: string; run: DrainStep }[] = [];
  private running: Promise<void> | undefined;
  private readonly exit: (code: number) => void;

  constructor(private readonly options: DrainOptions) {
    this.exit = options.exit ?? ((code) => process.exit(code));
  }

  addStep(name: string, run: DrainStep): void {
    this.steps.push({ name, run });
  }

  /** From now on SIGTERM and SIGINT drain, and an uncaught error is logged and exits 1. */
  listen(): void {
    const { logger, source = process } = this.options;
    let firstAt = -Infinity;
    const onSignal = (signal: DrainSignal): void => {
      if (this.running && this.now() - firstAt < SAME_SIGNAL_MS) return;
      if (this.running) return this.exit(128 + SIGNAL_NUMBERS[signal]);
      firstAt = this.now();
      void this.run(signal);
    };
    source.on('SIGTERM', () => onSignal('SIGTERM'));
    source.on('SIGINT', () => onSignal('SIGINT'));
    source.on('uncaughtException', (error: unknown) => this.crash(error, 'uncaught exception'));
    source.on('unhandledRejection', (reason: unknown) => this.crash(reason, 'unhandled rejection'));
    logger.debug('listening for signals');
  }

  /** Runs once, however often it is called. */
  run(reason: string): Promise<void> {
    this.running ??= this.drain(reason);
    return this.running;
  }

  private async drain(reason: string): Promise<void> {
    const { logger, health, leave, bus, store, stopTracing, graceMs = DEFAULT_DRAIN_GRACE_MS } = this.options;
    logger.info({ reason, grace_ms: graceMs }, 'draining');
    health.markDraining();
    const endsAt = this.now() + graceMs;
    for (const { name, run } of this.steps) {
      const leftMs = Math.max(0, Math.round(endsAt - this.now()));
      await this.attempt(name, () => run(leftMs), leftMs);
    }
    await this.attempt('removing the row', leave, CLOSE_TIMEOUT_MS);
    await this.attempt('closing the bus', () => bus.close(), CLOSE_TIMEOUT_MS);
    if (store) await this.attempt('closing the store', () => store.close(), CLOSE_TIMEOUT_MS);
    if (stopTracing) await this.attempt('sending the last spans', stopTracing, CLOSE_TIMEOUT_MS);
    logger.info('drained');
    this.exit(0);
  }

  /** Never rejects: the rest of the drain must run even if a step fails. */
  private async attempt(name: string, act: () => Promise<void>, timeoutMs: number): Promise<void> {
    const { logger, clock } = this.options;
    const acting = (async () => act())().catch((error: unknown) =>
      logger.warn({ err: error, step: name }, 'drain step failed'),
    );
    if (!(await settledWithin(clock, acting, timeoutMs)))
      logger.warn({ step: name }, 'drain step not finished in time');
  }

  private now(): number {
    return this.options.clock.now();
  }

  private crash(error: unknown, what: string): void {
    this.options.logger.fatal({ err: error }, what);
    this.exit(1);
  }
}
