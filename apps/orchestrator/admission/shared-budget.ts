import type { ModelBudget } from '#bootstrap';
import type { ModelLoad } from '#contracts';
import { TokenBucket } from '#limits';
import type { Clock } from '#time';

const MINUTE_MS = 60_000;
/** The end of a stream is not known in advance, so a wait for one is checked again after this time. */
const STREAM_GUESS_MS = 5_000;

/** The reason why a request waits: a budget without room, or the time that the provider asked for. */
export type ShortOf = 'requests' | 'tokens' | 'streams' | 'provider';

export interface Shortage {
  shortOf: ShortOf;
  waitMs: number;
}

/** This process's part of the budget that all orchestrators share for one provider or model. */
export class SharedBudget {
  private readonly requests: TokenBucket | undefined;
  private readonly tokens: TokenBucket | undefined;
  private streams = 0;

  constructor(
    private readonly budget: ModelBudget,
    private readonly parts: () => number,
    clock: Pick<Clock, 'now'>,
  ) {
    const { requestsPerMinute, tokensPerMinute } = budget;
    const bucketOf = (count: number | undefined) =>
      count === undefined ? undefined : new TokenBucket({ count, perMs: MINUTE_MS }, parts(), clock);
    this.requests = bucketOf(requestsPerMinute);
    this.tokens = bucketOf(tokensPerMinute);
  }

  get countsTokens(): boolean {
    return this.tokens !== undefined;
  }

  /** The longest wait of a request with this many tokens, and its reason. */
  shortage(tokens: number): Shortage | undefined {
    const parts = this.parts();
    const waits: Shortage[] = [
      { shortOf: 'requests', waitMs: this.requests?.waitMs(1, parts) ?? 0 },
      { shortOf: 'tokens', waitMs: this.tokens?.waitMs(tokens, parts) ?? 0 },
      { shortOf: 'streams', waitMs: this.streams < this.streamsAtOnce(parts) ? 0 : STREAM_GUESS_MS },
    ];
    const longest = waits.reduce((a, b) => (b.waitMs > a.waitMs ? b : a));
    return longest.waitMs > 0 ? longest : undefined;
  }

  /** For operators. */
  get load(): Omit<ModelLoad, 'waiting'> {
    const parts = this.parts();
    const { requestsPerMinute, tokensPerMinute, streams } = this.budget;
    return {
      ...(this.requests && {
        requests_limit: requestsPerMinute,
        requests_left: Math.floor(this.requests.left(parts)),
      }),
      ...(this.tokens && { tokens_limit: tokensPerMinute, tokens_left: Math.floor(this.tokens.left(parts)) }),
      ...(streams !== undefined && { streams_limit: streams }),
      streams: this.streams,
    };
  }

  begin(tokens: number): void {
    this.requests?.take(1);
    this.tokens?.take(tokens);
    this.streams++;
  }

  /** `more`: tokens beyond the estimate; negative if there were fewer. */
  end(more: number): void {
    this.streams--;
    if (more > 0) this.tokens?.take(more);
    else this.tokens?.giveBack(-more);
  }

  /** At least one each, because an orchestrator without any could never drive a turn. */
  private streamsAtOnce(parts: number): number {
    const { streams } = this.budget;
    return streams === undefined ? Infinity : Math.max(1, Math.floor(streams / parts));
  }
}
