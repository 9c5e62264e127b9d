/** Short names (`PORT`, `MODEL`) are too similar to other programs' variables. */
const MIN_NAME_LENGTH = 8;

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
      const meant = candidates.find((candidate) => isAlmost(name.toUpperCase(), candidate));
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** True for at most two added, removed or replaced letters. Names whose lengths differ more are not compared. */
function isAlmost(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > 2) return false;
  let row = Array.from({ length: known.length + 1 }, (_, index) => index);
  for (let i = 1; i <= name.length; i++) {
    const next = [i];
    for (let j = 1; j <= known.length; j++) {
      const replaced = row[j - 1]! + (name[i - 1] === known[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[known.length]! <= 2;
}
