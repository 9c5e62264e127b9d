import { isObject, isWithinDepth, MAX_DEPTH } from '#contracts';
import type { ModelPart } from './model.port.js';

/** Arguments are nested a few levels deep in the messages that contain them. */
const MAX_ARGUMENT_DEPTH = MAX_DEPTH - 4;
const MAX_RAW_LENGTH = 2_000;

/** A call with arguments from JSON text; text that is not a usable JSON object is only kept as `raw`. */
export function toolCallPart(name: string, json: string): ModelPart {
  return { type: 'tool_call', name, arguments: parseArguments(json), raw: json.slice(0, MAX_RAW_LENGTH) };
}

function parseArguments(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) && isWithinDepth(value, MAX_ARGUMENT_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A name that every provider takes back: a model may have invented one that no provider accepts. */
export function providerSafeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}
