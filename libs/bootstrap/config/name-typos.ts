import { distance } from 'fastest-levenshtein';

/** Short names (`PORT`, `MODEL`) are too similar to other programs' variables. */
const MIN_NAME_LENGTH = 8;
/** Added, removed or replaced. */
const MAX_DIFFERENT_LETTERS = 2;

/**
 * Set variables whose name is almost a known name that is not set: `JWT_SECERT`, `RABBITMQ_URI`. The environment also
 * belongs to other programs, so this is a notice and not an error.
 */
export function findNameTypos(
  set: Record<string, string>,
  known: readonly string[],
): { name: string; meant: string }[] {
  const candidates = known.filter((name) => name.length >= MIN_NAME_LENGTH && !(name in set));
  return Object.keys(set)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = candidates.find(
        (candidate) => distance(name.toUpperCase(), candidate) <= MAX_DIFFERENT_LETTERS,
      );
      return meant === undefined ? [] : [{ name, meant }];
    });
}
