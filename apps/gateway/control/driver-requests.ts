import { randomUUID } from 'node:crypto';
import { controlKey, newMessage, type Body } from '#contracts';
import type { Bus } from '#messaging';
import type { PartialText } from '#turn';

/** How long a driver has to answer; then whoever asks goes on without it. */
const ANSWER_TIMEOUT_MS = 300;

type DriverAnswer = Body<'turn.stopped'> | Body<'turn.partial'>;

/** Questions to the process that drives a turn, over control queues; answers are matched by their request's id. */
export class DriverRequests {
  private readonly waiting = new Map<string, (answer: DriverAnswer | undefined) => void>();

  constructor(
    private readonly bus: Pick<Bus, 'send'>,
    private readonly processId: string,
    private readonly timeoutMs = ANSWER_TIMEOUT_MS,
  ) {}

  /** True if the driver says that the turn has a `cancel` row now. */
  async stop(turnId: string, driver: string): Promise<boolean> {
    return (await this.ask('turn.stop', turnId, driver)) !== undefined;
  }

  /** The text of the step that is being streamed; undefined if there is none or the driver does not answer. */
  async peek(turnId: string, driver: string): Promise<PartialText | undefined> {
    const answer = await this.ask('turn.peek', turnId, driver);
    if (!answer || !('text' in answer)) return undefined;
    const { turn_id, step, attempt, text } = answer;
    return { turn_id, step, attempt, text };
  }

  /** An answer from the control queue; late and unasked ones are dropped. */
  receive(answer: DriverAnswer): void {
    this.waiting.get(answer.request_id)?.(answer);
  }

  private ask(
    type: 'turn.stop' | 'turn.peek',
    turnId: string,
    driver: string,
  ): Promise<DriverAnswer | undefined> {
    const requestId = randomUUID();
    return new Promise((resolve) => {
      const settle = (answer: DriverAnswer | undefined): void => {
        if (answer && answer.turn_id !== turnId) return;
        clearTimeout(timer);
        this.waiting.delete(requestId);
        resolve(answer);
      };
      const timer = setTimeout(() => settle(undefined), this.timeoutMs);
      this.waiting.set(requestId, settle);
      const body = { turn_id: turnId, request_id: requestId, reply_to: controlKey(this.processId) };
      this.bus.send(controlKey(driver), newMessage(type, body)).then(
        (outcome) => {
          if (outcome === 'returned' || outcome === 'refused') settle(undefined);
        },
        () => settle(undefined),
      );
    });
  }
}
