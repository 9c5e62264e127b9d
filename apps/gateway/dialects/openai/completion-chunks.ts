import type { StopReason, TurnView } from '#contracts';
import type { RequestError } from '../../errors/request-error.js';
import { AnswerText } from '../stream/answer-text.js';
import type { TurnNews } from '../stream/turn-stream.js';
import { finishOf, serverStopping, toUsage } from './completion-end.js';
import { toOpenAiError } from './openai-error.js';

/** The fields that all chunks of a completion, and the completion itself, share. */
export interface CompletionHead {
  id: string;
  /** Seconds since epoch. */
  created: number;
  model: string;
}

/** Writes a turn as the chunks of a streamed completion, without its tools. One per stream. */
export class CompletionChunks {
  private readonly text = new AnswerText();
  private hasRole = false;

  constructor(
    private readonly head: CompletionHead,
    private readonly includesUsage: boolean,
  ) {}

  /** Each string is one event. The end of the turn is `end`. */
  next(news: TurnNews): string[] {
    if (news.type === 'gateway_stopping') return this.fail(serverStopping());
    const content = this.text.next(news);
    return [...this.begin(), ...(content === '' ? [] : [this.chunk({ content })])];
  }

  /** `stopReason`: of the turn's last step. Throws for a turn without a whole answer. */
  end(turn: TurnView, stopReason: StopReason | null): string[] {
    const finish = this.chunk({}, finishOf(turn, stopReason));
    const usage = this.includesUsage ? [this.event({ choices: [], usage: toUsage(turn.usage) })] : [];
    return [...this.begin(), finish, ...usage, 'data: [DONE]\n\n'];
  }

  /** Nothing follows it: a client considers a stream without `[DONE]` broken. */
  fail(error: RequestError): string[] {
    return [toData({ error: toOpenAiError(error) })];
  }

  private begin(): string[] {
    if (this.hasRole) return [];
    this.hasRole = true;
    return [this.chunk({ role: 'assistant', content: '' })];
  }

  private chunk(
    delta: { role?: 'assistant'; content?: string },
    finish_reason: string | null = null,
  ): string {
    const choice = { index: 0, delta, logprobs: null, finish_reason };
    return this.event({ choices: [choice], ...(this.includesUsage ? { usage: null } : {}) });
  }

  private event(fields: object): string {
    const { id, created, model } = this.head;
    return toData({ id, object: 'chat.completion.chunk', created, model, ...fields });
  }
}

function toData(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
