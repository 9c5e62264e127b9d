/*
 * What the soak's model says. Every request gets words of its own, numbered and with an end, so that a text shows
 * by itself whether pieces of it are missing, came twice, or belong to another attempt. Not all of their letters are one
 * byte or one UTF-16 unit long.
 */

const LETTERS = ['', 'ä', '😀'];

function wordAt(request: number | string, i: number): string {
  return `r${request}.${i}${LETTERS[i % LETTERS.length]}`;
}

export function wordsOf(request: number, count: number): string[] {
  return [...Array.from({ length: count }, (_, i) => `${wordAt(request, i)} `), `r${request}.end`];
}

/** What is wrong with a text that should be one request's words; `whole`: up to their end. */
export function findFault(text: string, { whole }: { whole: boolean }): string | undefined {
  if (!whole && /^(r\d*)?$/.test(text)) return undefined;
  const request = /^r(\d+)\./.exec(text)?.[1];
  if (request === undefined) return `the text begins with ${JSON.stringify(text.slice(0, 30))}`;
  const words = text.split(' ');
  const last = words.pop()!;
  const misplaced = words.findIndex((word, i) => word !== wordAt(request, i));
  if (misplaced >= 0) return `word ${misplaced} is ${JSON.stringify(words[misplaced])}`;
  const isEnd = last === `r${request}.end`;
  if (whole) return isEnd ? undefined : `the text ends with ${JSON.stringify(last)}`;
  const isPrefix = `r${request}.end`.startsWith(last) || wordAt(request, words.length).startsWith(last);
  return isPrefix ? undefined : `the text ends with ${JSON.stringify(last)}`;
}
