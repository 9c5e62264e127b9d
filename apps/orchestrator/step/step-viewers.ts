import type { ConversationEvent, EventOf } from '#contracts';
import { timestampOf, type Clock } from '#time';
import type { StepPart } from '../ask/step-part.js';
import { TokenStream, type StepPlace } from './token-stream.js';

interface Shown {
  attempt: number;
  tokens: TokenStream;
  thinking: TokenStream;
}

/** A step that is being written. */
export interface StepInProgress {
  n: number;
  viewers: StepViewers;
  signal: AbortSignal;
  /** Attempts of the step that viewers have already seen. */
  retriesBefore: number;
}

/** Tells viewers about a step while it is being written. */
export class StepViewers {
  private now: Shown | undefined;

  constructor(
    private readonly place: Omit<StepPlace, 'attempt'>,
    private readonly to: {
      emit: (event: ConversationEvent) => void;
      clock: Pick<Clock, 'wall' | 'after'>;
    },
  ) {}

  /** The text of the current attempt that was sent, for viewers that join in the middle. */
  get shown(): { step: number; attempt: number; text: string } | undefined {
    if (!this.now) return undefined;
    const { attempt, tokens } = this.now;
    return { step: this.place.step, attempt, text: tokens.text };
  }

  start(attempt: number, settled: EventOf<'step_started'>['settled']): void {
    this.to.emit({ type: 'step_started', ...this.place, attempt, timestamp: this.timestamp, settled });
  }

  /** Listens to an answer that is being written. */
  readonly follow = (part: StepPart): void => {
    switch (part.type) {
      case 'attempt':
        return this.begin(part);
      case 'text':
        return this.now?.tokens.push(part.text);
      case 'thinking':
        return this.now?.thinking.push(part.text);
      case 'usage':
        this.now?.tokens.end();
        return this.now?.thinking.end();
      case 'waiting':
        return this.wait(part.reason, part.retryAfterMs);
      case 'fallback':
        return this.wait(`${asSentence(part.reason)} Continuing with ${part.model}.`, 0);
      case 'thinking_end':
      case 'call':
      case 'retry':
      case 'end':
      case 'refused':
    }
  };

  /** Listens to a request whose text is no part of the answer. */
  readonly followUnseen = (part: StepPart): void => {
    if (part.type !== 'text' && part.type !== 'thinking') this.follow(part);
  };

  /** Tells viewers why nothing is being written right now. */
  wait(reason: string, retryAfterMs: number): void {
    const { conversation_id, turn_id } = this.place;
    const { timestamp } = this;
    this.to.emit({
      type: 'waiting',
      conversation_id,
      turn_id,
      timestamp,
      reason,
      retry_after_ms: retryAfterMs,
    });
  }

  /** An answer that was not written as text. */
  showWhole(attempt: number, content: string): void {
    const { place, timestamp } = this;
    this.to.emit({ type: 'token', ...place, attempt, timestamp, content, offset: 0 });
  }

  private begin({ attempt, isRestart }: Extract<StepPart, { type: 'attempt' }>): void {
    const place = { ...this.place, attempt };
    if (isRestart) this.to.emit({ type: 'step_restarted', ...place, timestamp: this.timestamp });
    const tokens = new TokenStream('token', place, this.to);
    const thinking = new TokenStream('thinking', place, this.to);
    this.now = { attempt, tokens, thinking };
  }

  private get timestamp(): string {
    return timestampOf(this.to.clock);
  }
}

/** Texts of providers may lack a full stop. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`;
}
