import type { EventOf } from '#contracts';

const MAX_LENGTH = 500;
const PER_SECOND = 10;
const WINDOW_MS = 1_000;

/** What MCP servers log during a turn, as status texts: no more than the front end can show. */
export class LogLines {
  private shownAt: number[] = [];

  constructor(
    /** Names the turn. */
    private readonly trace: string,
    /** Milliseconds, of any clock. */
    private readonly now: () => number,
  ) {}

  /** Undefined for what is no log message, and for one too many. */
  next({ log, message }: EventOf<'tool_progress'>): string | undefined {
    if (!log || message === undefined) return undefined;
    const now = this.now();
    this.shownAt = this.shownAt.filter((at) => now - at < WINDOW_MS);
    if (this.shownAt.length >= PER_SECOND) return undefined;
    this.shownAt.push(now);
    return `[${log.logger}:${this.trace}] ${message}`.slice(0, MAX_LENGTH);
  }
}
