import { SystemClock } from '#time';

const LOOK_EVERY_MS = 20;
const WITHIN_MS = 30_000;
const clock = new SystemClock();

/** What a case expected, and what it found. */
export class ContractBroken extends Error {
  override name = 'ContractBroken';
}

type Nothing = null | undefined | false | '';

/** The first value that is something. Throws `ContractBroken` after a while. */
export async function until<T>(
  what: string,
  look: () => T | Nothing | Promise<T | Nothing>,
  withinMs = WITHIN_MS,
): Promise<T> {
  const endsAt = clock.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (clock.now() > endsAt) throw new ContractBroken(`${what}: did not come within ${withinMs / 1_000} s`);
    await clock.sleep(LOOK_EVERY_MS);
  }
}

export function pause(ms: number): Promise<void> {
  return clock.sleep(ms);
}
