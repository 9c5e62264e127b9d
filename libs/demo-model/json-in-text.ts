/** Stands in the text where an object stood, so that words and numbers in it are not taken for instructions. */
const MARK = '\uE000';

export interface TextWithJson {
  /** The text with `MARK 0 MARK`, `MARK 1 MARK` … instead of its objects. */
  text: string;
  objects: Record<string, unknown>[];
  /** True when a `{` begins something that is not a JSON object. */
  isBroken: boolean;
}

/** Each look for the end of an object may go through all of the rest. */
const MAX_BROKEN = 20;

export const JSON_MARK = new RegExp(`${MARK}(\\d+)${MARK}`);

export function takeJsonOut(source: string): TextWithJson {
  const result: TextWithJson = { text: '', objects: [], isBroken: false };
  let broken = 0;
  for (let at = 0; at < source.length;) {
    const begins = source[at] === '{' && broken < MAX_BROKEN;
    const end = begins ? endOfObject(source, at) : undefined;
    const value = end === undefined ? undefined : parseObject(source.slice(at, end));
    if (value && end !== undefined) {
      result.text += `${MARK}${result.objects.length}${MARK}`;
      result.objects.push(value);
      at = end;
      continue;
    }
    if (begins) broken++;
    result.text += source[at];
    at++;
  }
  return { ...result, isBroken: broken > 0 };
}

/** Index after the brace that closes the one at `start`; braces in strings do not count. */
function endOfObject(source: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < source.length; at++) {
    const char = source[at];
    if (isInString && char === '\\') at++;
    else if (char === '"') isInString = !isInString;
    else if (!isInString && char === '{') depth++;
    else if (!isInString && char === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
