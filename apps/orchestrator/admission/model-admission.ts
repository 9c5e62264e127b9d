import { LRUCache } from 'lru-cache';
import type { ModelBudget } from '#bootstrap';
import type { ModelLoad, Usage } from '#contracts';
import type { Metrics } from '#observability';
import type { Time, Timer } from '#time';
import { SharedBudget, type Shortage } from './shared-budget.js';

/**
 * A longer wait is checked again after this time, because orchestrators come and go and this one's part changes with
 * them.
 */
const RECHECK_MS = 5_000;
/** Spreads the requests that the provider slowed down, so that they do not all come back at the same moment. */
const SPREAD = 0.1;

/** Permission to send one request. */
export interface Permit {
  /** Called once, when the request has ended. Without `usage`, the request was refused or never arrived. */
  done(usage?: Usage): void;
}

export interface AdmissionRequest {
  /** `provider/model`. */
  model: string;
  /** An estimate of the tokens that it sends. Called only when tokens are counted. */
  estimateTokens: () => number;
  signal: AbortSignal;
  /** Called when the request has to wait, and again when it has to wait longer than reported. */
  onWait: (shortage: Shortage) => void;
}

export interface ModelAdmissionOptions extends Time {
  /** By provider or model; both apply. */
  budgets: ReadonlyMap<string, ModelBudget>;
  /** Those that the deployment names. */
  models: readonly string[];
  /** The number of living orchestrators, including this one. */
  countOrchestrators: () => number;
  metrics: Pick<Metrics, 'modelWaiting' | 'modelWaits' | 'modelWaitDuration'>;
}

/**
 * The largest number of paused models. It is bounded, because clients choose the names.
 */
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
 * Admits requests to the models. Requests wait in the order of arrival, each only for the budgets that it needs. A
 * provider that asks to slow down counts as an empty budget until then.
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
    options.metrics.modelWaiting.readOnDemand((gauge) => gauge.set(this.size));
    for (const [name, budget] of budgets)
      this.budgets.set(name, new SharedBudget(budget, countOrchestrators, clock));
  }

  /** Requests that wait. */
  get size(): number {
    return this.waiting.length;
  }

  /** What is left of each budget, and which of the deployment's models are paused, by name. */
  get load(): Record<string, ModelLoad> {
    const loads: Record<string, ModelLoad> = {};
    for (const name of new Set([...this.budgets.keys(), ...this.options.models])) {
      const budget = this.budgets.get(name);
      const pause = this.pauseOf(name);
      if (!budget && !pause) continue;
      const waiting = this.waiting.filter(({ keys }) => keys.includes(name)).length;
      loads[name] = { ...budget?.load, waiting, ...(pause && { paused_ms: pause.waitMs }) };
    }
    return loads;
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

  /** The provider wants no requests to this model for this long. */
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

  /** Admits every request that may be sent now, in order. A later request never takes what an earlier one waits for. */
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

/** For `anthropic/claude-…`: the budget of the provider and that of the model. */
function keysOf(model: string): string[] {
  const at = model.indexOf('/');
  return at < 0 ? [model] : [model.slice(0, at), model];
}
