import type { TurnOptions } from '#contracts';

/** False for a turn that is a single call, or that came with its answer. */
export function asksModel({ call, answer }: TurnOptions): boolean {
  return call === undefined && answer === undefined;
}
