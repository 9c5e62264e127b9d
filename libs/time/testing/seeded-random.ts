import { uniformFloat32 } from 'pure-rand/distribution/uniformFloat32';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Random } from '../random.port.js';
import { spread } from '../spread.js';

/** Randomness from a seed: the same seed draws the same values in the same order. */
export class SeededRandom implements Random {
  private readonly generator;

  constructor(seed: number) {
    this.generator = xoroshiro128plus(seed);
  }

  float(): number {
    return uniformFloat32(this.generator);
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
    return Uint8Array.from({ length: count }, () => uniformInt(this.generator, 0, 255));
  }

  /** 0 … `count` - 1. */
  choose(count: number): number {
    return uniformInt(this.generator, 0, count - 1);
  }

  /** A separate generator: drawing from one does not change what the other draws. */
  fork(): SeededRandom {
    return new SeededRandom(uniformInt(this.generator, 0, 0xffffffff));
  }
}
