import type { ConversationEvent } from '#contracts';
import { timestampOf, type Clock, type Timer } from '#time';
import { isHighSurrogate } from '#turn';

const FLUSH_MS = 25;
const FLUSH_CHARACTERS = 256;

export interface StepPlace {
  conversation_id: string;
  turn_id: string;
  step: number;
  attempt: number;
}

/**
 * Text of one attempt of a step on its way to viewers: the first piece at once, then every 25 ms or 256 characters.
 * Offsets are UTF-16 units; a surrogate pair is never split.
 */
export class TokenStream {
  private whole = '';
  private sent = 0;
  private timer: Timer | undefined;

  constructor(
    private readonly type: 'token' | 'thinking',
    private readonly place: StepPlace,
    private readonly to: {
      emit: (event: ConversationEvent) => void;
      clock: Pick<Clock, 'wall' | 'after'>;
    },
  ) {}

  /** Everything so far, sent or not. */
  get text(): string {
    return this.whole;
  }

  push(text: string): void {
    this.whole += text;
    if (this.sent === 0 || this.whole.length - this.sent >= FLUSH_CHARACTERS) this.flush();
    else this.timer ??= this.to.clock.after(FLUSH_MS, () => this.flush());
  }

  /** Sends the rest, including half a pair if the model ended on one. */
  end(): void {
    this.send(this.whole.length);
  }

  private flush(): void {
    const { length } = this.whole;
    this.send(length > 0 && isHighSurrogate(this.whole.charCodeAt(length - 1)) ? length - 1 : length);
  }

  private send(until: number): void {
    this.timer?.cancel();
    this.timer = undefined;
    if (until <= this.sent) return;
    const content = this.whole.slice(this.sent, until);
    const timestamp = timestampOf(this.to.clock);
    this.to.emit({ type: this.type, ...this.place, timestamp, content, offset: this.sent });
    this.sent = until;
  }
}
