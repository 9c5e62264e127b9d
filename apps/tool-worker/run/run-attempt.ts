import type { ToolCallBody, ToolResult } from '#contracts';
import type { Clock, Timer } from '#time';
import { stoppedWhileRunning } from '#turn';
import {
  failure,
  ToolConnectionLostError,
  toFailure,
  toToolResult,
  type Tool,
  type ToolContext,
} from '#tools';
import type { HoldLimit } from './hold-limit.js';

/** How long reconnecting may take. */
const RECONNECT_MS = 15_000;
const RECONNECT_PAUSE_MS = 250;

export interface RunContext {
  attempt: number;
  traceparent?: string;
  clock: Clock;
  hold: HoldLimit;
  /** Stop, or the worker gives up. */
  stop: AbortSignal;
  onProgress: ToolContext['progress'];
  attach: ToolContext['attach'];
  ask: ToolContext['ask'];
}

/** How a run ended: with a result, or with a broken connection and an unknown outcome. */
export type Ran = { result: ToolResult } | { lost: ToolConnectionLostError };

/**
 * Runs a tool for at most its timeout, which restarts with every sign of progress, and for no longer than its delivery
 * may be held, whether or not the tool obeys. A tool that obeys Stop ends as `Cancelled`; a tool that ends by itself
 * keeps its own result.
 */
export async function runAttempt(tool: Tool, body: ToolCallBody, context: RunContext): Promise<Ran> {
  const timeout = new Timeout(body.timeout_ms, context);
  const signal = AbortSignal.any([context.stop, timeout.signal]);
  // A tool from outside may throw, or answer, without a promise.
  const run = async () =>
    tool.run(body.arguments, {
      toolCallId: body.tool_call_id,
      turnId: body.turn_id,
      conversationId: body.conversation_id,
      userId: body.user_id,
      attempt: context.attempt,
      traceparent: context.traceparent,
      signal,
      deadline: context.clock.wall() + timeout.limitMs,
      wantsLogs: body.logs === true,
      progress: (progress, total, message, log) => {
        if (timeout.isOver) return;
        timeout.restart();
        context.onProgress(progress, total, message, log);
      },
      attach: (attachment) => context.attach(attachment),
      ask: (question, options) => {
        const asking = timeout.pausedDuring(context.ask(question, options));
        // A tool may end without waiting for its answer.
        asking.catch(() => undefined);
        return asking;
      },
    });
  const running = run()
    .then((given) => ({ result: toToolResult(given) }))
    .catch((error: unknown) => ended(error, context.stop));
  try {
    return await Promise.race([running, timeout.expired()]);
  } finally {
    timeout.clear();
  }
}

/**
 * Runs a tool whose connection has just broken. Until the connection is restored, the tool reports that it was not
 * reached. So nothing has started, and the tool may be tried again.
 */
export async function runWhenReached(
  run: () => Promise<Ran>,
  stop: AbortSignal,
  { clock, hold }: Pick<RunContext, 'clock' | 'hold'>,
): Promise<Ran> {
  const givesUpAt = clock.now() + Math.min(RECONNECT_MS, hold.leftMs);
  for (;;) {
    const ran = await run();
    const isAway = 'result' in ran && ran.result.error?.error_type === 'DependencyUnavailable';
    if (!isAway || stop.aborted || clock.now() > givesUpAt) return ran;
    await clock.sleep(RECONNECT_PAUSE_MS, stop).catch(() => undefined);
  }
}

function ended(error: unknown, stop: AbortSignal): Ran {
  // A broken connection does not mean that the tool obeyed: nobody knows what it did.
  if (error instanceof ToolConnectionLostError) return { lost: error };
  if (stop.aborted) return { result: { status: 'failure', error: stoppedWhileRunning() } };
  return { result: toFailure(error) };
}

class Timeout {
  /** Without a sign of progress. */
  readonly limitMs: number;
  private readonly controller = new AbortController();
  private timer: Timer;
  private pauses = 0;
  /** The run has ended, or no caller waits for it. */
  isOver = false;

  constructor(
    timeoutMs: number,
    private readonly context: Pick<RunContext, 'clock' | 'hold'>,
  ) {
    this.limitMs = Math.min(timeoutMs, context.hold.leftMs);
    this.timer = this.schedule();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  restart(): void {
    if (this.pauses > 0 || this.isOver) return;
    this.timer.cancel();
    this.timer = this.schedule();
  }

  /** While a person is asked, no time counts; the answer is a sign of progress. */
  async pausedDuring<T>(asking: Promise<T>): Promise<T> {
    this.pauses++;
    this.timer.cancel();
    try {
      return await asking;
    } finally {
      this.pauses--;
      this.restart();
    }
  }

  clear(): void {
    this.isOver = true;
    this.timer.cancel();
  }

  /** Resolves when the time is up. */
  async expired(): Promise<Ran> {
    await new Promise<void>((resolve) =>
      this.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    return {
      result: failure('TimeoutError', `No answer within ${this.limitMs} ms.`, {
        limit_ms: this.limitMs,
        may_still_run: true,
      }),
    };
  }

  private schedule(): Timer {
    const { clock, hold } = this.context;
    const delayMs = Math.min(this.limitMs, hold.leftMs);
    const reason = new DOMException('The call took too long.', 'TimeoutError');
    return clock.after(delayMs, () => this.controller.abort(reason));
  }
}
