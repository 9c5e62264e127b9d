import { controlKey, newMessage, type Body } from '#contracts';
import type { Bus } from '#messaging';
import type { Time } from '#time';
import type { PartialText } from '#turn';

/**
 * How long a driver has to answer; then the caller continues without it. A joining viewer then gets the text a little
 * later. If a turn is stopped without its driver, the text is lost.
 */
const ANSWER_TIMEOUTS_MS = { 'turn.peek': 300, 'turn.stop': 1_000 };
/** For this long after a reconnect to the broker, this process's queue or the driver's may still be missing. */
const JUST_BACK_MS = 1_500;
/** How long a driver is then asked repeatedly. */
const PATIENCE_MS = 600;
const RETRY_AFTER_MS = 50;
/**
 * Rounds of the event loop before an answer is given up: after a standstill, the timers of a process are due before it
 * reads what arrived meanwhile. A driver in this process takes one round to answer.
 */
const LAST_ROUNDS = 2;

type DriverAnswer = Body<'turn.stopped'> | Body<'turn.partial'>;

/** Questions to the process that drives a turn, over control queues; answers are matched by their request's id. */
export class DriverRequests {
  private readonly waiting = new Map<string, (answer: DriverAnswer | undefined) => void>();

  constructor(
    private readonly bus: Pick<Bus, 'send' | 'connectedForMs'>,
    private readonly processId: string,
    private readonly time: Time,
    private readonly timeoutsMs = ANSWER_TIMEOUTS_MS,
  ) {}

  /** True if the driver has answered: the turn has a `cancel` row now, or is not driven at the moment. */
  async stop(turnId: string, driver: string): Promise<boolean> {
    return (await this.ask('turn.stop', turnId, driver)) !== undefined;
  }

  /** The text of the step that is being streamed; undefined if there is none or the driver does not answer. */
  async peek(turnId: string, driver: string): Promise<PartialText | undefined> {
    const answer = await this.peekPatiently(turnId, driver);
    if (!answer || !('text' in answer)) return undefined;
    const { turn_id, step, attempt, text } = answer;
    return { turn_id, step, attempt, text };
  }

  /** An answer from the control queue; late and unasked ones are dropped. */
  receive(answer: DriverAnswer): void {
    this.waiting.get(answer.request_id)?.(answer);
  }

  /** Without it, viewers would miss the text until their conversation may be read again. */
  private async peekPatiently(turnId: string, driver: string): Promise<DriverAnswer | undefined> {
    const { clock } = this.time;
    const until = clock.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.ask('turn.peek', turnId, driver);
      const isJustBack = this.bus.connectedForMs() < JUST_BACK_MS;
      if (answer || !isJustBack || clock.now() >= until) return answer;
      await clock.sleep(RETRY_AFTER_MS);
    }
  }

  private ask(
    type: keyof typeof ANSWER_TIMEOUTS_MS,
    turnId: string,
    driver: string,
  ): Promise<DriverAnswer | undefined> {
    const { clock, random } = this.time;
    const requestId = random.id();
    return new Promise((resolve) => {
      const settle = (answer: DriverAnswer | undefined): void => {
        if (answer && answer.turn_id !== turnId) return;
        timer.cancel();
        this.waiting.delete(requestId);
        resolve(answer);
      };
      const giveUp = (roundsLeft: number): void => {
        if (roundsLeft === 0) settle(undefined);
        else clock.soon(() => giveUp(roundsLeft - 1));
      };
      const timer = clock.after(this.timeoutsMs[type], () => giveUp(LAST_ROUNDS));
      this.waiting.set(requestId, settle);
      const body = { turn_id: turnId, request_id: requestId, reply_to: controlKey(this.processId) };
      this.bus.send(controlKey(driver), newMessage(this.time, type, body)).then(
        (outcome) => {
          if (outcome === 'returned' || outcome === 'refused') settle(undefined);
        },
        () => settle(undefined),
      );
    });
  }
}
