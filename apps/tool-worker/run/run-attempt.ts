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

/** How long a lost connection may take to come back. */
const RECONNECT_MS = 15_000;
const RECONNECT_PAUSE_MS = 250;

export interface RunContext {
  attempt: number;
  clock: Clock;
  hold: HoldLimit;
  /** Stop, or the worker gives up. */
  stop: AbortSignal;
  onProgress: ToolContext['progress'];
  attach: ToolContext['attach'];
  ask: ToolContext['ask'];
}

/** How a run ended: with a result, or with a connection that broke while nobody can know what happened. */
export type Ran = { result: ToolResult } | { lost: ToolConnectionLostError };

/**
 * Runs a tool for at most its timeout, counted anew with every sign of progress, and for no longer than its delivery
 * may be held, whether or not it obeys. A tool that obeys Stop ends as `Cancelled`; one that ends by itself keeps its
 * own result.
 */
export async function runAttempt(tool: Tool, body: ToolCallBody, context: RunContext): Promise<Ran> {
  const timeout = new Timeout(body.timeout_ms, context);
  const signal = AbortSignal.any([context.stop, timeout.signal]);
  // Somebody else's tool may throw, or answer, without a promise.
  const run = async () =>
    tool.run(body.arguments, {
      toolCallId: body.tool_call_id,
      turnId: body.turn_id,
      conversationId: body.conversation_id,
      userId: body.user_id,
      attempt: context.attempt,
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
 * Runs a tool whose connection has just broken: until that is made again the tool says that it was not reached, so
 * nothing has started and it may be tried again.
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
  // A broken connection is no obedience: nobody knows what the tool did.
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
  /** The run has ended, or is no longer waited for. */
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

  /** A person is asked: nothing counts, and what comes is a sign of progress. */
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
