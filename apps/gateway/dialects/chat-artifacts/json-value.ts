import { isWithinDepth } from '#contracts';

export type JsonObject = Record<string, unknown>;

/** Undefined for what is no JSON, or deeper than anything that is looked into. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWithinDepth(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
