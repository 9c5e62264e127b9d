import { wholePairs } from '../transcript/cut-text.js';

/**
 * How many characters of arguments (as JSON) and of a result a view carries; clients fetch the rest by the call's id.
 */
export const MAX_VIEW_TEXT = 4096;

export function cutText(text: string): { text: string; truncated: boolean } {
  if (text.length <= MAX_VIEW_TEXT) return { text, truncated: false };
  return { text: wholePairs(text.slice(0, MAX_VIEW_TEXT)), truncated: true };
}

/**
 * Arguments whose JSON is too long keep their short members. A long text keeps its start; any other long value becomes
 * the start of its JSON. A cut value is short enough not to be cut again.
 */
export function cutArgs(args: Record<string, unknown>): {
  args: Record<string, unknown>;
  truncated: boolean;
} {
  if (JSON.stringify(args).length <= MAX_VIEW_TEXT) return { args, truncated: false };
  const cut: [string, unknown][] = [];
  let left = MAX_VIEW_TEXT - '{}'.length;
  for (const [name, value] of Object.entries(args)) {
    const room = left - JSON.stringify(name).length - ':,'.length;
    if (room < '""'.length) continue;
    const kept = cutValue(value, room);
    cut.push([name, kept]);
    left = room - JSON.stringify(kept).length;
  }
  return { args: Object.fromEntries(cut), truncated: true };
}

function cutValue(value: unknown, room: number): unknown {
  const json = JSON.stringify(value);
  if (json.length <= room) return value;
  return startWithin(typeof value === 'string' ? value : json, room);
}

/** The longest start of a text that takes at most `room` characters as JSON. */
function startWithin(text: string, room: number): string {
  let fits = 0;
  let tooLong = Math.min(text.length, room) + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (JSON.stringify(text.slice(0, middle)).length <= room) fits = middle;
    else tooLong = middle;
  }
  return wholePairs(text.slice(0, fits));
}
