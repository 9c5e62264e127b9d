/**
 * Cuts a text into pieces of at most `max` UTF-16 units: after white space if possible, and never inside a surrogate
 * pair. Joined, the pieces are the text again.
 */
export function chunkText(text: string, max: number): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOfChunk(text, start, max);
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function endOfChunk(text: string, start: number, max: number): number {
  const limit = start + max;
  if (text.length <= limit) return text.length;
  for (let end = limit; end > start; end--) if (/\s/.test(text[end - 1]!)) return end;
  return isPairAt(text, limit - 1) ? limit - 1 : limit;
}

function isPairAt(text: string, index: number): boolean {
  return text.codePointAt(index)! > 0xffff;
}
