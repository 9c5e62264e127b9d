import type { EventOf } from '#contracts';
import { RateWindow, type Clock } from '#time';

const MAX_LENGTH = 500;
const PER_SECOND = 10;

/** Log messages of MCP servers during a turn, as status texts: no more than the front end can show. */
export class LogLines {
  private readonly shown: RateWindow;

  constructor(
    /** Names the turn. */
    private readonly trace: string,
    clock: Pick<Clock, 'now'>,
  ) {
    this.shown = new RateWindow(clock, { windowMs: 1_000 });
  }

  /** Undefined for other content, and for log messages beyond the limit. */
  next({ log, message }: EventOf<'tool_progress'>): string | undefined {
    if (!log || message === undefined) return undefined;
    if (this.shown.sumOf(this.trace) >= PER_SECOND) return undefined;
    this.shown.add(this.trace, 1);
    return `[${log.logger}:${this.trace}] ${message}`.slice(0, MAX_LENGTH);
  }
}
