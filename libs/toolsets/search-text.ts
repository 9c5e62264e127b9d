import { RE2JS, RE2JSException } from 're2js';
import { yieldToEventLoop, type Clock } from '#time';
import { ToolError } from '#tools';

/** A longer line is searched in overlapping pieces: a match longer than the overlap may be missed in it. */
const MAX_PIECE_BYTES = 8 * 1024;
const OVERLAP_BYTES = 1024;
const MAX_MATCHES = 50;
const MAX_ANSWER_BYTES = 24 * 1024;
/** Characters shown on each side of the start of a match. */
const BEFORE = 60;
const AFTER = 140;
/** The time for each character of a text grows with the size of the pattern's program. */
const MAX_PROGRAM_SIZE = 2_000;
/** Compiling repetitions takes long too: at most this many characters, each counted as often as it is repeated. */
const MAX_REPEATED_LENGTH = 50_000;
/** RE2's largest repetition, also for repetitions within repetitions. */
const MAX_REPETITION = 1_000;
/** Work this long, then let other work of the process run. */
const SLICE_MS = 10;

/**
 * Throws a `ValidationError` for a pattern that RE2 does not know, or would search slowly. Matching takes time linear
 * in the text.
 */
export function compilePattern(pattern: string): RE2JS {
  if (repeatedLength(pattern) > MAX_REPEATED_LENGTH) throw tooLarge(pattern);
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > MAX_PROGRAM_SIZE) throw tooLarge(pattern);
    return compiled;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.slice(0, 200);
    throw refusal(pattern, `The pattern is not valid RE2 syntax: ${reason}`, 'RE2 syntax');
  }
}

/** An upper bound for the number of characters when every repetition is written out. */
function repeatedLength(pattern: string): number {
  let times = 1;
  for (const [, least, most] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    times = Math.min(MAX_REPETITION, times * Math.max(1, Number(most || least)));
  return times * pattern.length;
}

function tooLarge(pattern: string): ToolError {
  const message = 'The pattern is too large: use smaller repetitions, or * and + instead.';
  return refusal(pattern, message, 'smaller repetitions');
}

function refusal(pattern: string, message: string, constraint: string): ToolError {
  return new ToolError({
    error_type: 'ValidationError',
    error_message: message,
    error_details: { parameter: 'pattern', provided_value: pattern.slice(0, 200), constraint },
  });
}

/** The byte offsets and surroundings of the matches, as text; overlapping surroundings are shown once. */
export async function searchText(
  content: Buffer,
  pattern: RE2JS,
  { clock, signal }: { clock: Pick<Clock, 'now' | 'soon'>; signal: AbortSignal },
): Promise<string> {
  const found: string[] = [];
  let bytes = 0;
  let shownUpTo = 0;
  let sliceEnd = clock.now() + SLICE_MS;
  const pause = async () => {
    if (clock.now() < sliceEnd) return;
    await yieldToEventLoop(clock);
    signal.throwIfAborted();
    sliceEnd = clock.now() + SLICE_MS;
  };
  for (const piece of piecesOf(content)) {
    await pause();
    for (const { offset, end, around } of matchesIn(content, piece, pattern)) {
      await pause();
      if (offset < shownUpTo) continue;
      const line = `offset ${offset}: ${around}`;
      bytes += Buffer.byteLength(line) + 1;
      if (found.length === MAX_MATCHES || bytes > MAX_ANSWER_BYTES)
        return answer(found, `the first ${found.length} matches; a narrower pattern finds fewer`);
      found.push(line);
      shownUpTo = end;
    }
  }
  if (found.length === 0) return `No match in ${content.byteLength} bytes.`;
  return answer(found, `all ${found.length} matches in ${content.byteLength} bytes`);
}

function answer(found: string[], note: string): string {
  return `${found.join('\n')}\n[${note}]`;
}

interface Piece {
  begin: number;
  end: number;
}

/** Lines without their ends, long ones in pieces. */
function* piecesOf(content: Buffer): Generator<Piece> {
  for (let begin = 0; begin < content.byteLength;) {
    const newline = content.indexOf(0x0a, begin);
    const lineEnd = newline < 0 ? content.byteLength : newline;
    let at = begin;
    for (; lineEnd - at > MAX_PIECE_BYTES; at += MAX_PIECE_BYTES - OVERLAP_BYTES)
      yield { begin: at, end: at + MAX_PIECE_BYTES };
    yield { begin: at, end: lineEnd };
    begin = lineEnd + 1;
  }
}

/** `end` is the end of the match's surroundings. */
function* matchesIn(content: Buffer, { begin, end }: Piece, pattern: RE2JS) {
  const from = characterStart(content, begin);
  const text = content.toString('utf8', from, characterStart(content, end));
  const matcher = pattern.matcher(text);
  // Shown text is not searched again: each search may go through all of the rest.
  for (let shown = 0; shown <= text.length && matcher.find(shown);) {
    const start = matcher.start();
    shown = start + AFTER;
    const around = text.slice(Math.max(0, start - BEFORE), shown);
    const offset = from + Buffer.byteLength(text.slice(0, start));
    yield { offset, end: from + Buffer.byteLength(text.slice(0, shown)), around: withoutHalves(around) };
  }
}

/** Returns `at`, or, inside a UTF-8 character, the start of that character. */
export function characterStart(content: Buffer, at: number): number {
  let start = at;
  while (start > Math.max(0, at - 3) && isContinuation(content[start])) start--;
  return start;
}

export function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The text without half a surrogate pair at either end. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}
