/** Characters of arguments (as JSON) and of a result that a view carries; the rest is asked for by the call's id. */
export const MAX_VIEW_TEXT = 4096;

export function cutText(text: string): { text: string; truncated: boolean } {
  if (text.length <= MAX_VIEW_TEXT) return { text, truncated: false };
  const end = isHighSurrogate(text.charCodeAt(MAX_VIEW_TEXT - 1)) ? MAX_VIEW_TEXT - 1 : MAX_VIEW_TEXT;
  return { text: text.slice(0, end), truncated: true };
}

/** Arguments whose JSON is too long keep their short members; the others become the start of their JSON. */
export function cutArgs(args: Record<string, unknown>): {
  args: Record<string, unknown>;
  truncated: boolean;
} {
  if (JSON.stringify(args).length <= MAX_VIEW_TEXT) return { args, truncated: false };
  const cut: [string, unknown][] = [];
  let left = MAX_VIEW_TEXT;
  for (const [name, value] of Object.entries(args)) {
    const json = JSON.stringify(value) ?? 'null';
    const room = Math.max(0, left - name.length);
    if (room === 0) break;
    cut.push([name, json.length <= room ? value : json.slice(0, room)]);
    left = room - Math.min(json.length, room);
  }
  return { args: Object.fromEntries(cut), truncated: true };
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
