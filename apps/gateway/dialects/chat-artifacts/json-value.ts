import { isWithinDepth } from '#contracts';

export type JsonObject = Record<string, unknown>;

/** Undefined for invalid JSON, or JSON that is nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWithinDepth(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
