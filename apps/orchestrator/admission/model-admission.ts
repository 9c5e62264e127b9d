import { LRUCache } from 'lru-cache';
import type { ModelBudget } from '#bootstrap';
import type { Usage } from '#contracts';
import type { Metrics } from '#observability';
import type { Time, Timer } from '#time';
import { SharedBudget, type Shortage } from './shared-budget.js';

/** A longer wait is looked at again: orchestrators come and go, and with them the part of this one. */
const RECHECK_MS = 5_000;
/** Whoever was slowed down by the provider does not come back in the same moment as all the others. */
const SPREAD = 0.1;

/** A request that may be sent. */
export interface Permit {
  /** Once, when it has ended; without `usage` the request was refused, or never arrived. */
  done(usage?: Usage): void;
}

export interface AdmissionRequest {
  /** `provider/model`. */
  model: string;
  /** About how many tokens it sends; asked only when tokens are counted. */
  estimateTokens: () => number;
  signal: AbortSignal;
  /** It has to wait; again when it waits longer than was said. */
  onWait: (shortage: Shortage) => void;
}

export interface ModelAdmissionOptions extends Time {
  /** By provider or model; both hold. */
  budgets: ReadonlyMap<string, ModelBudget>;
  /** Living orchestrators, this one included. */
  countOrchestrators: () => number;
  metrics: Pick<Metrics, 'modelWaits' | 'modelWaitDuration'>;
}

/** Models that a provider has asked to leave alone: names come from clients, too. */
const MAX_PAUSED = 1_000;

interface Waiter {
  request: AdmissionRequest;
  tokens: number;
  keys: string[];
  since: number;
  reportedUntil: number;
  admit: () => void;
}

/**
 * Who may ask the model now. Requests wait in the order in which they came, each only for the budgets that it needs;
 * a provider that asks to slow down is a budget that is empty until then.
 */
export class ModelAdmission {
  private readonly budgets = new Map<string, SharedBudget>();
  private readonly pausedUntil = new LRUCache<string, number>({
    maxSize: MAX_PAUSED,
    sizeCalculation: () => 1,
  });
  private waiting: Waiter[] = [];
  private timer: Timer | undefined;

  constructor(private readonly options: ModelAdmissionOptions) {
    const { budgets, countOrchestrators, clock } = options;
    for (const [name, budget] of budgets)
      this.budgets.set(name, new SharedBudget(budget, countOrchestrators, clock));
  }

  /** Resolves when the request may be sent; rejects with the signal's reason. */
  async admit(request: AdmissionRequest): Promise<Permit> {
    request.signal.throwIfAborted();
    const keys = keysOf(request.model);
    const counted = keys.some((key) => this.budgets.get(key)?.countsTokens);
    const waiter = { request, keys, tokens: counted ? request.estimateTokens() : 0 };
    await this.waitInLine(waiter);
    return this.permit(waiter);
  }

  /** The provider wants this model to be left alone for so long. */
  pause(model: string, retryAfterMs: number): void {
    const until = this.now() + retryAfterMs * (1 + this.options.random.float() * SPREAD);
    this.pausedUntil.set(model, Math.max(until, this.pausedUntil.get(model) ?? 0));
    this.pump();
  }

  private now(): number {
    return this.options.clock.now();
  }

  private waitInLine(part: Pick<Waiter, 'request' | 'keys' | 'tokens'>): Promise<void> {
    const { signal } = part.request;
    return new Promise<void>((resolve, reject) => {
      const since = this.now();
      const waiter: Waiter = { ...part, since, reportedUntil: -Infinity, admit: () => leave(resolve) };
      const leave = (settle: () => void) => {
        signal.removeEventListener('abort', onAbort);
        if (waiter.reportedUntil > -Infinity)
          this.options.metrics.modelWaitDuration.observe((this.now() - since) / 1_000);
        settle();
      };
      const onAbort = () => {
        this.waiting = this.waiting.filter((other) => other !== waiter);
        leave(() => reject(signal.reason as Error));
        this.pump();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(waiter);
      this.pump();
    });
  }

  private permit({ keys, tokens }: Pick<Waiter, 'keys' | 'tokens'>): Permit {
    let isOver = false;
    return {
      done: (usage) => {
        if (isOver) return;
        isOver = true;
        const more = usage ? usage.input_tokens - usage.cached_tokens + usage.output_tokens - tokens : 0;
        for (const key of keys) this.budgets.get(key)?.end(more);
        this.pump();
      },
    };
  }

  /** Lets in whoever may go now, in order; who comes later never takes what an earlier one waits for. */
  private pump(): void {
    const short = new Map<string, Shortage>();
    const staying: Waiter[] = [];
    for (const waiter of this.waiting) {
      const shortage = this.shortageOf(waiter, short);
      if (shortage) staying.push(waiter);
      else this.admitWaiter(waiter);
      if (shortage) this.reportWait(waiter, shortage);
    }
    this.waiting = staying;
    this.scheduleRecheck([...short.values()]);
  }

  private shortageOf({ keys, tokens, request }: Waiter, short: Map<string, Shortage>): Shortage | undefined {
    for (const key of keys) {
      const known = short.get(key);
      const own = known ?? this.pauseOf(key) ?? this.budgets.get(key)?.shortage(tokens);
      if (!own) continue;
      short.set(known ? request.model : key, own);
      return own;
    }
    return undefined;
  }

  private pauseOf(key: string): Shortage | undefined {
    const waitMs = Math.ceil((this.pausedUntil.peek(key) ?? 0) - this.now());
    return waitMs > 0 ? { shortOf: 'provider', waitMs } : undefined;
  }

  private admitWaiter({ keys, tokens, admit }: Waiter): void {
    for (const key of keys) this.budgets.get(key)?.begin(tokens);
    admit();
  }

  private reportWait(waiter: Waiter, shortage: Shortage): void {
    if (this.now() < waiter.reportedUntil) return;
    if (waiter.reportedUntil === -Infinity)
      this.options.metrics.modelWaits.inc({ short_of: shortage.shortOf });
    waiter.reportedUntil = this.now() + shortage.waitMs;
    waiter.request.onWait(shortage);
  }

  private scheduleRecheck(shortages: Shortage[]): void {
    this.timer?.cancel();
    if (shortages.length === 0) return;
    const soonest = Math.min(RECHECK_MS, ...shortages.map(({ waitMs }) => waitMs));
    this.timer = this.options.clock.after(soonest, () => this.pump(), { unref: true });
  }
}

/** `anthropic/claude-…`: the provider's budget and the model's. */
function keysOf(model: string): string[] {
  const at = model.indexOf('/');
  return at < 0 ? [model] : [model.slice(0, at), model];
}
