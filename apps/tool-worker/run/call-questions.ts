import { questionSchemaSchema, type Answer, type InputAction, type QuestionSchema } from '#contracts';
import type { AskedQuestion, CallLedger, Question, WorkerCall } from '#ledger';
import { ToolError, toPrintable, type Question as GivenQuestion, type Reply } from '#tools';
import { stoppedWhileRunning } from '#turn';
import type { Clock } from '#time';
import type { ActiveCall } from './active-call.js';

const MAX_MESSAGE_LENGTH = 4_000;
const MAX_SCHEMA_LENGTH = 32 * 1024;

export interface QuestionTimes {
  /** How long a person has. */
  expireMs: number;
  /** How often the store is asked for the answer: the process that was to announce it may have died. */
  lookEveryMs: number;
}

export const DEFAULT_QUESTION_TIMES: QuestionTimes = { expireMs: 3_600_000, lookEveryMs: 5_000 };

/**
 * The questions that one attempt of a call asks its person, one after the other. The rows are numbered over all
 * attempts. If an attempt repeats an earlier attempt's question word for word in the same place, it gets that question
 * with its present or future answer. So nobody has to answer twice because a worker was lost.
 */
export class CallQuestions {
  private number = 0;
  private before: Promise<unknown> = Promise.resolve();
  private readonly ending = new AbortController();

  constructor(
    private readonly ports: {
      ledger: Pick<CallLedger, 'ask' | 'answerOf' | 'giveUpAsking'>;
      clock: Pick<Clock, 'wall'>;
    },
    private readonly call: WorkerCall,
    private readonly hand: ActiveCall,
    private readonly times: QuestionTimes,
  ) {}

  ask(question: GivenQuestion, signal?: AbortSignal): Promise<Reply> {
    const asking = this.before.then(() => this.askNext(parseQuestion(question), signal));
    // A tool may end without waiting for its answer.
    this.before = asking.catch(() => undefined);
    return asking;
  }

  /** The run is over and no longer waits for an answer. */
  end(): void {
    this.ending.abort();
  }

  private async askNext(question: Question, signal?: AbortSignal): Promise<Reply> {
    this.throwIfOver();
    const place = { after: this.number, expireMs: this.times.expireMs };
    const asked = await this.ports.ledger.ask(this.call, question, place);
    this.number = asked.number;
    if (asked.answer) return replyOf(asked.answer);
    this.hand.beginAsking();
    try {
      return replyOf(await this.untilAnswered(asked, signal));
    } finally {
      await this.hand.resume();
    }
  }

  private async untilAnswered(
    { number, expiresAt }: AskedQuestion,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { hand, call } = this;
    const { ledger, clock } = this.ports;
    const givenUp = [hand.gaveUp, ...(signal ? [signal] : [])];
    const over = [hand.stop, this.ending.signal];
    for (;;) {
      const given = await ledger.answerOf(call, number);
      if (given) return given;
      this.throwIfOver();
      const leftMs = expiresAt - clock.wall();
      if (leftMs <= 0 || givenUp.some(({ aborted }) => aborted)) return ledger.giveUpAsking(call, number);
      await hand.untilAnswered(Math.min(leftMs, this.times.lookEveryMs), [...givenUp, ...over]);
    }
  }

  private throwIfOver(): void {
    if (this.hand.stop.aborted || this.ending.signal.aborted) throw new ToolError(stoppedWhileRunning());
  }
}

function parseQuestion({ message, schema, connection, among }: GivenQuestion): Question {
  const parsed = questionSchemaSchema.safeParse(schema);
  if (!parsed.success) {
    const { path, message: why } = parsed.error.issues[0]!;
    throw invalid(`The question's schema cannot be shown as a form: ${path.join('.') || 'schema'}: ${why}`);
  }
  if (JSON.stringify(parsed.data).length > MAX_SCHEMA_LENGTH)
    throw invalid(`The question's schema is longer than ${MAX_SCHEMA_LENGTH} characters.`);
  const printable = toPrintable(message, MAX_MESSAGE_LENGTH);
  if (printable.trim() === '') throw invalid('The question has no message.');
  // It is compared with a stored question, and a store returns no undefined fields.
  const asked = { message: printable, schema: JSON.parse(JSON.stringify(parsed.data)) as QuestionSchema };
  return { ...asked, ...(connection !== undefined && { connection }), ...(among !== undefined && { among }) };
}

function invalid(error_message: string): ToolError {
  return new ToolError({ error_type: 'ValidationError', error_message: error_message.slice(0, 500) });
}

function replyOf({ action = 'accept', content }: Pick<Answer, 'action' | 'content'>): Reply {
  const given: InputAction = action;
  return given === 'accept' ? { action: given, content: content ?? {} } : { action: given };
}
