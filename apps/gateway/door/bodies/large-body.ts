import type { HeldBody } from './body-budget.js';

/** A body that nobody has parsed, because that would stop everything else. */
export class LargeBody {
  constructor(
    readonly slabs: Uint8Array<ArrayBuffer>[],
    readonly held: HeldBody,
    readonly left: AbortSignal,
  ) {}
}
