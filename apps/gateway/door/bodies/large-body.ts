import type { HeldBody } from './body-budget.js';

/** A body that is not parsed yet, because parsing it here would block the event loop. */
export class LargeBody {
  constructor(
    readonly slabs: Uint8Array<ArrayBuffer>[],
    readonly held: HeldBody,
    readonly left: AbortSignal,
  ) {}
}
