import type { Progress } from '@modelcontextprotocol/client';
import { TokenBucket } from '#limits';
import type { Clock } from '#time';
import { toPrintable, type ToolContext } from '#tools';
import type { CallObserver } from '../connection/mcp-connection.js';
import type { LoggedMessage } from '../connection/server-log.js';
import { LINES_PER_MINUTE } from '../limits/limit-lines.js';
import { LimitedProgress } from '../limits/limit-progress.js';

const MAX_MESSAGE_LENGTH = 500;

/** What the viewers of a call see while it runs: its progress and, if they get them, the server's log messages. */
export class CallReports implements CallObserver {
  private latest: Pick<Progress, 'progress' | 'total'> = { progress: 0 };
  private readonly progress: LimitedProgress<Progress>;
  private readonly lines: TokenBucket;

  constructor(
    private readonly context: ToolContext,
    private readonly showsLogs: boolean,
    clock: Clock,
  ) {
    this.lines = new TokenBucket({ count: LINES_PER_MINUTE, perMs: 60_000 }, 1, clock);
    this.progress = new LimitedProgress<Progress>(
      ({ progress, total, message }) =>
        context.progress(progress, total, message && toPrintable(message, MAX_MESSAGE_LENGTH)),
      clock,
    );
  }

  onProgress(report: Progress): void {
    this.latest = { progress: report.progress, total: report.total };
    this.progress.report(report);
  }

  onLog({ text, level, logger }: LoggedMessage): void {
    if (!this.showsLogs || this.lines.waitMs(1, 1) > 0) return;
    this.lines.take(1);
    const message = toPrintable(text, MAX_MESSAGE_LENGTH);
    this.context.progress(this.latest.progress, this.latest.total, message, { level, logger });
  }

  /** Sends progress that still waits; also before the call ends. */
  flush(): void {
    this.progress.flush();
  }
}
