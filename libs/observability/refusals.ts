import type { Clock } from '#time';

const LINE_EVERY_MS = 60_000;

/**
 * Counts refusals by a limit (`switchyard_refusals_total`) and logs them: the first refusal at once, then at most one
 * line a minute for each limit, with the number of refusals since the line before.
 */
export class Refusals {
  private readonly limits = new Map<string, { loggedAt: number; refused: number }>();

  constructor(
    private readonly counter: { inc(labels: { limit: string }): void },
    private readonly log: { warn(fields: object, message: string): void },
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /**
   * @param limit its name in the settings, or a fixed word: never anything that a client chose
   * @param about names the affected client for operators, such as `{ address }` or `{ user_id }`
   */
  note(limit: string, about: Record<string, unknown> = {}): void {
    this.counter.inc({ limit });
    const seen = this.limits.get(limit) ?? { loggedAt: -Infinity, refused: 0 };
    this.limits.set(limit, seen);
    seen.refused++;
    const now = this.clock.now();
    if (now - seen.loggedAt < LINE_EVERY_MS) return;
    this.log.warn({ limit, refused: seen.refused, ...about }, 'limit reached');
    seen.loggedAt = now;
    seen.refused = 0;
  }
}
