import { isDeepStrictEqual } from 'node:util';
import {
  newMessage,
  questionSchemaSchema,
  type Answer,
  type InputAction,
  type QuestionSchema,
  type ToolCallBody,
} from '#contracts';
import type { Ports } from '#journal';
import { ToolError, toPrintable, type Question, type Reply } from '#tools';
import { inputId, stoppedWhileRunning } from '#turn';
import { timestampOf } from '#time';
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

interface Asked {
  number: number;
  expiresAt: number;
}

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
    private readonly ports: Ports,
    private readonly body: ToolCallBody,
    private readonly hand: ActiveCall,
    private readonly times: QuestionTimes,
  ) {}

  ask(question: Question, signal?: AbortSignal): Promise<Reply> {
    const asking = this.before.then(() => this.askNext(parseQuestion(question), signal));
    // A tool may end without waiting for its answer.
    this.before = asking.catch(() => undefined);
    return asking;
  }

  /** The run is over and no longer waits for an answer. */
  end(): void {
    this.ending.abort();
  }

  private async askNext(question: ParsedQuestion, signal?: AbortSignal): Promise<Reply> {
    this.throwIfOver();
    const asked = await this.put(question);
    const given = await this.read(asked.number);
    if (given) return replyOf(given);
    this.hand.beginAsking();
    try {
      this.announce(asked, question);
      return replyOf(await this.untilAnswered(asked, signal));
    } finally {
      await this.hand.resume();
    }
  }

  /** Writes the row first, so that every process that hears of the question finds it. */
  private async put(question: ParsedQuestion): Promise<Asked> {
    const { store, me, clock } = this.ports;
    const { tool_call_id, turn_id, conversation_id } = this.body;
    for (;;) {
      const number = ++this.number;
      const now = clock.wall();
      const expires_at = new Date(now + this.times.expireMs).toISOString();
      const { row } = await store.answer({
        _id: inputId(tool_call_id, 'question', number),
        turn_id,
        conversation_id,
        question: { ...question, expires_at },
        by: me,
        at: new Date(now).toISOString(),
      });
      const stands = row.question;
      const isSame =
        stands?.message === question.message && isDeepStrictEqual(stands.schema, question.schema);
      if (isSame) return { number, expiresAt: Date.parse(stands.expires_at) };
    }
  }

  private async untilAnswered(asked: Asked, signal: AbortSignal | undefined): Promise<Answer> {
    const { hand } = this;
    const givenUp = [hand.gaveUp, ...(signal ? [signal] : [])];
    const over = [hand.stop, this.ending.signal];
    for (;;) {
      const given = await this.read(asked.number);
      if (given) return given;
      this.throwIfOver();
      const leftMs = asked.expiresAt - this.ports.clock.wall();
      if (leftMs <= 0 || givenUp.some(({ aborted }) => aborted)) return this.giveUp(asked.number);
      await hand.untilAnswered(Math.min(leftMs, this.times.lookEveryMs), [...givenUp, ...over]);
    }
  }

  /** No answer in time is an answer too: like any other, it is given once. */
  private async giveUp(number: number): Promise<Answer> {
    const { store, bus, clock } = this.ports;
    const { tool_call_id, turn_id, conversation_id } = this.body;
    const at = timestampOf(clock);
    const _id = inputId(tool_call_id, 'input', number);
    const given = { action: 'cancel' as const, by: 'system' };
    const { won, row } = await store.answer({ _id, turn_id, conversation_id, ...given, at });
    if (won) {
      const place = { conversation_id, turn_id, timestamp: at };
      bus.emit({ type: 'input_answered', ...place, tool_call_id, number, ...given });
      // The turn has been parked: an orchestrator has to wait for the end of the call.
      await bus.publish('turns', newMessage(this.ports, 'turn.advance', { turn_id, conversation_id }));
    }
    return row;
  }

  private announce({ number, expiresAt }: Asked, { message, schema }: ParsedQuestion): void {
    const { tool_call_id, turn_id, conversation_id, n: step, reply_to } = this.body;
    const { bus, clock } = this.ports;
    const timestamp = timestampOf(clock);
    const expires_at = new Date(expiresAt).toISOString();
    const place = { conversation_id, turn_id, timestamp, step, tool_call_id };
    bus.emit({ type: 'input_required', ...place, number, message, schema, expires_at });
    // Parks the turn now instead of at its driver's next check.
    void bus.send(reply_to, newMessage(this.ports, 'turn.advance', { turn_id, conversation_id }));
  }

  private read(number: number): Promise<Answer | null> {
    return this.ports.store.getAnswer(inputId(this.body.tool_call_id, 'input', number));
  }

  private throwIfOver(): void {
    if (this.hand.stop.aborted || this.ending.signal.aborted) throw new ToolError(stoppedWhileRunning());
  }
}

interface ParsedQuestion {
  message: string;
  schema: QuestionSchema;
}

function parseQuestion({ message, schema }: Question): ParsedQuestion {
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
  return { message: printable, schema: JSON.parse(JSON.stringify(parsed.data)) as QuestionSchema };
}

function invalid(error_message: string): ToolError {
  return new ToolError({ error_type: 'ValidationError', error_message: error_message.slice(0, 500) });
}

function replyOf({ action = 'accept', content }: Pick<Answer, 'action' | 'content'>): Reply {
  const given: InputAction = action;
  return given === 'accept' ? { action: given, content: content ?? {} } : { action: given };
}
