import type { Random } from '../random.port.js';
import { spread } from '../spread.js';

/** Randomness from a seed: the same seed draws the same values in the same order (mulberry32). */
export class SeededRandom implements Random {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  float(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Has the form of a version 4 UUID (RFC 9562 §5.4), because readers of ids check that. */
  id(prefix = ''): string {
    const bytes = this.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return `${prefix}${parts.join('-')}`;
  }

  jitter(ms: number): number {
    return spread(ms, this.float());
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Math.floor(this.float() * 256));
  }

  /** 0 … `count` - 1. */
  choose(count: number): number {
    return Math.floor(this.float() * count);
  }

  /** A separate generator: drawing from one does not change what the other draws. */
  fork(): SeededRandom {
    return new SeededRandom(Math.floor(this.float() * 2 ** 32));
  }
}
