import type { Clock } from '#time';
import type { Slot } from '#tools';
import { HoldLimit } from './hold-limit.js';

/** `at`: ISO 8601. */
export interface Sent {
  at?: string;
  traceparent?: string;
}

/**
 * A call from its delivery to its end. While it asks a person, its delivery has been acknowledged, its slot is lent
 * to other calls, and its time limits are paused.
 */
export class ActiveCall {
  readonly hold: HoldLimit;
  /** Resolves when it asks a person for the first time. From then on its delivery need not be held. */
  readonly asked: Promise<void>;
  private noteAsked = () => {};
  private readonly stopping = new AbortController();
  private readonly givingUp = new AbortController();
  private slot: Slot | undefined;
  private mayHaveAnswer = false;
  /** The `traceparent` of its last run. */
  ranAs: string | undefined;
  private wake = () => {};

  /**
   * @param mayRunAgain another worker may start it again if this worker is lost
   * @param sent from the message that asked for it; undefined if not known
   */
  constructor(
    readonly mayRunAgain: boolean,
    private readonly clock: Pick<Clock, 'now' | 'after'>,
    readonly sent: Sent = {},
  ) {
    this.hold = new HoldLimit(clock);
    this.asked = new Promise((resolve) => (this.noteAsked = resolve));
  }

  get stop(): AbortSignal {
    return this.stopping.signal;
  }

  /** Aborted when the worker leaves and can no longer wait for the person. */
  get gaveUp(): AbortSignal {
    return this.givingUp.signal;
  }

  cancel(): void {
    this.stopping.abort(new Error('stopped'));
  }

  giveUpAsking(): void {
    this.givingUp.abort(new Error('the worker is stopping'));
  }

  /** There may be an answer. */
  noteAnswer(): void {
    this.mayHaveAnswer = true;
    this.wake();
  }

  runIn(slot: Slot): this {
    this.slot = slot;
    return this;
  }

  beginAsking(): void {
    this.hold.pause();
    this.slot?.lend();
    this.noteAsked();
  }

  /** Resolves when it may run again. A call that was told to stop need not wait for that. */
  async resume(): Promise<void> {
    const { stop } = this;
    const stopped = new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.slot?.takeBack(), stopped]);
    this.hold.resume();
  }

  /** Resolves when it hears of an answer, when one of the signals aborts, or after `timeoutMs`. */
  async untilAnswered(timeoutMs: number, signals: AbortSignal[]): Promise<void> {
    const signal = AbortSignal.any(signals);
    if (!this.mayHaveAnswer && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          timer.cancel();
          // A signal with a listener is kept until it aborts: an hour of polling would leave many of them.
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = this.clock.after(timeoutMs, wake, { unref: true });
        this.wake = wake;
        signal.addEventListener('abort', wake, { once: true });
      });
    }
    this.mayHaveAnswer = false;
    this.wake = () => {};
  }
}
