import type { SeededRandom } from '#time/testing';

/** How badly a world's broker and store behave, besides what is struck on purpose. Probabilities and milliseconds. */
export interface Weather {
  storeMs: number;
  busMs: number;
  /** An operation of the store fails, before or after its effect. */
  storeFails: number;
  /** An operation of the store takes up to three seconds. */
  storeIsLate: number;
  losesEvents: number;
  doublesCommands: number;
  refusesCommands: number;
}

export const CALM: Weather = {
  storeMs: 4,
  busMs: 3,
  storeFails: 0,
  storeIsLate: 0,
  losesEvents: 0,
  doublesCommands: 0,
  refusesCommands: 0,
};

/** How often the model refuses a request, breaks off in its answer, and stalls at a word. */
export interface ModelMoods {
  refuses: number;
  breaksOff: number;
  stalls: number;
}

export const MOODY: ModelMoods = { refuses: 0.03, breaksOff: 0.03, stalls: 0.02 };
export const STEADY: ModelMoods = { refuses: 0, breaksOff: 0, stalls: 0 };

const LATE_MS = 3_000;

/** What broker and store do to single messages and operations, drawn from the seed. */
export class Faults {
  weather: Weather = CALM;
  model: ModelMoods = MOODY;
  isStoreAway = false;
  /** The next operation of this name fails, before or after its effect. */
  breaksNext: { operation: string; when: 'before' | 'after' } | undefined;
  /** The next operation that is meant takes so much longer on its way to the store. */
  holdsNext: { operation: string; isMeant: (args: unknown[]) => boolean; forMs: number } | undefined;
  readonly counts: Record<string, number> = {};

  constructor(private readonly random: SeededRandom) {}

  storeDelayMs(): number {
    const { storeMs, storeIsLate } = this.weather;
    if (this.happens('store late', storeIsLate)) return this.random.float() * LATE_MS;
    return this.random.float() * storeMs;
  }

  /** Besides the delay that every operation has. */
  heldMs(operation: string, args: unknown[]): number {
    const next = this.holdsNext;
    if (next?.operation !== operation || !next.isMeant(args)) return 0;
    this.holdsNext = undefined;
    return next.forMs;
  }

  /** An error that comes before the effect, or after it. */
  storeMishap(operation: string): 'before' | 'after' | undefined {
    if (this.isStoreAway) return 'before';
    const next = this.breaksNext;
    if (next?.operation === operation) {
      this.breaksNext = undefined;
      return next.when;
    }
    if (!this.happens('store fails', this.weather.storeFails)) return undefined;
    return this.random.float() < 0.5 ? 'before' : 'after';
  }

  busDelayMs(): number {
    return this.random.float() * this.weather.busMs;
  }

  reconnectMs(): number {
    return 100 + this.random.float() * 1_500;
  }

  losesEvent(): boolean {
    return this.happens('event lost', this.weather.losesEvents);
  }

  doubles(): boolean {
    return this.happens('command doubled', this.weather.doublesCommands);
  }

  refuses(): boolean {
    return this.happens('command refused', this.weather.refusesCommands);
  }

  private happens(what: string, probability: number): boolean {
    if (probability === 0 || this.random.float() >= probability) return false;
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    return true;
  }
}
