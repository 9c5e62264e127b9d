const PREFERRED = ['result', 'value', 'sum', 'product', 'total', 'answer'];

/** The number in a tool's result: `42`, `{"result":42}`, or the last one in a sentence. */
export function readNumber(text: string): number | undefined {
  const parsed = parse(text);
  if (typeof parsed === 'number') return parsed;
  if (typeof parsed === 'object' && parsed !== null) {
    const values = parsed as Record<string, unknown>;
    const key = [...PREFERRED, ...Object.keys(values)].find((name) => typeof values[name] === 'number');
    if (key !== undefined) return values[key] as number;
  }
  const last = text.match(/-?\d+(?:\.\d+)?/g)?.at(-1);
  return last === undefined ? undefined : Number(last);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
