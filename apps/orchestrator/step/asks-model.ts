import type { TurnOptions } from '#contracts';

/** Not a turn that is one call, or that came with its answer. */
export function asksModel({ call, answer }: TurnOptions): boolean {
  return call === undefined && answer === undefined;
}
