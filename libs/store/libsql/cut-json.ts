/** The maximum number of JSON characters that this many UTF-16 units of a string take, with the opening quote. */
export function longestInJson(length: number): number {
  return 1 + 6 * length;
}

/** The first `length` UTF-16 units of a string. `json` is the string's JSON text or the beginning of that text. */
export function cutJson(json: string, length: number): string {
  const units =
    json
      .slice(1)
      .match(/\\u[\da-f]{4}|\\[^u]|[^"\\]/gi)
      ?.slice(0, length) ?? [];
  return JSON.parse(`"${units.join('')}"`) as string;
}
