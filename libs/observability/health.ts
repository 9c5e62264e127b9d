import { within, type Clock } from '#time';

/** A round trip that takes longer than this counts as failed. */
const CHECK_TIMEOUT_MS = 2_000;
/** Anyone who reaches the port can ask at no cost, so answers are reused. */
const REUSE_MS = 1_000;

export type HealthCheck = () => boolean | Promise<unknown>;

export interface Readiness {
  status: 'starting' | 'ready' | 'unavailable' | 'draining';
  /** By name; `draining` fails once the process has begun to drain. */
  checks: Record<string, 'ok' | 'failing'>;
}

/**
 * Whether the process takes work: started, not draining, and every check holds. A check fails when it returns false, or
 * its promise rejects or takes longer than 2 s. The log has the reason, the answer never has it.
 */
export class Health {
  private readonly checks = new Map<string, HealthCheck>();
  private phase: 'starting' | 'started' | 'draining' = 'starting';
  private latest: { at: number; results: Promise<Record<string, 'ok' | 'failing'>> } | undefined;

  constructor(private readonly clock: Pick<Clock, 'now' | 'after'>) {}

  addCheck(name: string, check: HealthCheck): void {
    this.checks.set(name, check);
    this.latest = undefined;
  }

  markStarted(): void {
    if (this.phase === 'starting') this.phase = 'started';
  }

  /** Cannot be undone: a draining process ends. */
  markDraining(): void {
    this.phase = 'draining';
  }

  get isDraining(): boolean {
    return this.phase === 'draining';
  }

  async readiness(): Promise<Readiness> {
    const results = await this.runChecks();
    const { phase } = this;
    const checks: Readiness['checks'] = { ...results, draining: phase === 'draining' ? 'failing' : 'ok' };
    if (phase !== 'started') return { status: phase, checks };
    return { status: Object.values(checks).includes('failing') ? 'unavailable' : 'ready', checks };
  }

  private runChecks(): Promise<Record<string, 'ok' | 'failing'>> {
    const now = this.clock.now();
    if (this.latest && now - this.latest.at < REUSE_MS) return this.latest.results;
    const results = Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await this.runCheck(check)] as const),
    ).then((entries) => Object.fromEntries(entries));
    this.latest = { at: now, results };
    return results;
  }

  private async runCheck(check: HealthCheck): Promise<'ok' | 'failing'> {
    try {
      const answering = Promise.resolve(check());
      return (await within(this.clock, answering, CHECK_TIMEOUT_MS)) === false ? 'failing' : 'ok';
    } catch {
      return 'failing';
    }
  }
}
