/** The text without half a surrogate pair at its end. */
export function wholePairs(text: string): string {
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

/**
 * Both ends of a text, each with at most the given number of characters, and how much is missing between them; no pair
 * is split.
 */
export function cutMiddle(text: string, headLength: number, tailLength: number): string {
  const head = wholePairs(text.slice(0, headLength));
  const tail = wholeEnd(text.slice(text.length - tailLength));
  return `${head}\n[${text.length - head.length - tail.length} characters left out]\n${tail}`;
}

/** The text without the second half of a pair at its beginning. */
function wholeEnd(text: string): string {
  const first = text.charCodeAt(0);
  return first >= 0xdc00 && first <= 0xdfff ? text.slice(1) : text;
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
