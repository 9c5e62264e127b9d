/** How many characters of JSON text a number of UTF-16 units of a string takes at most, with the quote before them. */
export function longestInJson(length: number): number {
  return 1 + 6 * length;
}

/** The first `length` UTF-16 units of a string of which `json` is the JSON text, or its first characters. */
export function cutJson(json: string, length: number): string {
  const units =
    json
      .slice(1)
      .match(/\\u[\da-f]{4}|\\[^u]|[^"\\]/gi)
      ?.slice(0, length) ?? [];
  return JSON.parse(`"${units.join('')}"`) as string;
}
