import type { TurnView } from '#contracts';
import type { TurnNews } from '../stream/turn-stream.js';
import type { Part } from './answer-parts.js';
import { buttonOf, sentArtifact, type SentArtifact } from './sent-artifact.js';
import type { LogLines } from './log-lines.js';
import { callTexts } from './status-texts.js';

/** `lines`: texts and artifacts one by one; `result`: all at once. */
export type ChatForm = 'lines' | 'result';

export interface ChatLinesSetup {
  form: ChatForm;
  /** In the request's spelling. */
  provider: string;
  /** Eight hex digits that stand for the turn. */
  trace: string;
  logs: LogLines;
  /** ISO 8601. */
  timestamp: () => string;
  newId: () => string;
}

/** The result of a turn. */
export interface Answered {
  parts: Part[];
  /** The cause. */
  thinking?: string;
}

const NOTHING_SAID = 'The model gave no answer.';
const MAX_STATUS_LENGTH = 500;
const SEPARATOR = '\n\n';

/** Writes a turn as lines of JSON. One per stream; `opening` comes first. */
export class ChatLines {
  private isAnswering = false;
  private answer = '';

  constructor(private readonly setup: ChatLinesSetup) {}

  /** Sent before anything is known of the turn, because the front end makes room for the answer at the first status. */
  opening(): string[] {
    return [
      this.status('Processing request...'),
      this.status(`Using model provider: ${this.setup.provider}`),
    ];
  }

  /** Each string is one line. `answered` goes with the end of a turn that has completed. */
  next(news: TurnNews, answered?: Answered): string[] {
    switch (news.type) {
      case 'call_started':
      case 'call_asks':
      case 'call_ended':
        return callTexts(news).map((text) => this.status(text));
      case 'step_committed':
        this.isAnswering = news.step.calls.length === 0;
        return [];
      case 'step_started':
        return this.isAnswering ? [this.status(this.formatting)] : [];
      case 'thinking':
        return [this.line('thinking', { content: news.content })];
      case 'waiting':
        return [this.status(news.reason)];
      case 'tool_progress':
        return this.log(news);
      case 'turn_ended':
        return this.end(news.turn, answered);
      case 'gateway_stopping':
        return this.failure('The server is restarting. The answer goes on without this page.');
      case 'turn_started':
      case 'step_restarted':
      case 'text':
        return [];
    }
  }

  /** The answer in the reader's format, with artifacts as their buttons. */
  get said(): string {
    return this.answer;
  }

  /** There will be no answer: the user sees the reason, and the front end logs it. */
  failure(reason: string): string[] {
    const timestamp = this.setup.timestamp();
    const error = `${JSON.stringify({ type: 'error', message: reason, timestamp })}\n`;
    const shown = this.setup.form === 'lines' ? this.content(reason) : this.result({ conversation: reason });
    return [shown, error];
  }

  private get formatting(): string {
    return `Getting formatted response from ${this.setup.provider}...`;
  }

  private log(news: Extract<TurnNews, { type: 'tool_progress' }>): string[] {
    const text = this.setup.logs.next(news);
    if (text === undefined) return [];
    const prefix = this.setup.form === 'result' ? `[TRACE:${this.setup.trace}] ` : '';
    return [this.status(`${prefix}${text}`.slice(0, MAX_STATUS_LENGTH))];
  }

  private end({ status, error }: TurnView, answered: Answered | undefined): string[] {
    if (status === 'cancelled') return this.failure('The answer was stopped.');
    if (status !== 'completed' || !answered)
      return this.failure(`The answer could not be completed: ${error?.message ?? 'something went wrong.'}`);
    const lines = this.setup.form === 'lines' ? this.segments(answered) : [];
    const complete = this.line('status', { message: 'Response complete', final: true });
    if (this.setup.form === 'lines') return [...lines, complete];
    return [complete, this.whole(answered)];
  }

  private segments({ parts }: Answered): string[] {
    if (parts.length === 0) return [this.content(NOTHING_SAID)];
    return this.sent(parts).flatMap((part, i) => [
      ...(i === 0 ? [] : [this.content(SEPARATOR)]),
      ...(typeof part === 'string'
        ? [this.content(part)]
        : [this.line('artifact', { artifact: part }), this.content(buttonOf(part))]),
    ]);
  }

  private whole({ parts, thinking }: Answered): string {
    const sent = this.sent(parts);
    const artifacts = sent.filter((part) => typeof part !== 'string');
    const texts = sent.map((part) => (typeof part === 'string' ? part : buttonOf(part)));
    return this.result({
      ...(thinking === undefined ? {} : { thinking }),
      conversation: texts.join(SEPARATOR) || NOTHING_SAID,
      ...(artifacts.length > 0 ? { artifacts } : {}),
    });
  }

  private sent(parts: Part[]): (string | SentArtifact)[] {
    let position = 0;
    return parts.map((part) =>
      'text' in part ? part.text : sentArtifact(part.artifact, this.setup.newId(), position++),
    );
  }

  private result(response: { thinking?: string; conversation: string; artifacts?: SentArtifact[] }): string {
    this.answer += response.conversation;
    return `${JSON.stringify({ type: 'result', response, timestamp: this.setup.timestamp() })}\n`;
  }

  private status(message: string): string {
    return this.line('status', { message });
  }

  /** The front end would mistake a text with this beginning for a status, and overwrite it. */
  private content(text: string): string {
    const content = text.startsWith('_Status:') ? ` ${text}` : text;
    this.answer += content;
    return this.line('content', { content });
  }

  private line(type: string, fields: object): string {
    const { newId, timestamp } = this.setup;
    return `${JSON.stringify({ id: newId(), timestamp: timestamp(), type, ...fields })}\n`;
  }
}
