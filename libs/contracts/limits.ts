/** Bytes of one bus message. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** The maximum nesting of parsed input; deeper input is refused before a recursive function sees it. */
export const MAX_DEPTH = 32;

/**
 * True when `value` nests at most `max` levels (`{}` is one level). Iterative: hostile input is thousands of levels deep.
 */
export function isWithinDepth(value: unknown, max = MAX_DEPTH): boolean {
  let level: unknown[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > max) return false;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'object' && item !== null) {
        for (const child of Object.values(item))
          if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return true;
}
