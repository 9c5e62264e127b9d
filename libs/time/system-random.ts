import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from './random.port.js';
import { spread } from './spread.js';

const FLOAT_BYTES = 6;

/** The machine's random source. */
export class SystemRandom implements Random {
  id(prefix = ''): string {
    return `${prefix}${randomUUID()}`;
  }

  float(): number {
    return randomBytes(FLOAT_BYTES).readUIntBE(0, FLOAT_BYTES) / 2 ** (8 * FLOAT_BYTES);
  }

  jitter(ms: number): number {
    return spread(ms, this.float());
  }

  bytes(count: number): Uint8Array {
    return randomBytes(count);
  }
}
