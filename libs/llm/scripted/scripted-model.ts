import { untilAborted } from '#time';
import type { Model, ModelPart, ModelRequest } from '../port/model.port.js';

export type Script = (request: ModelRequest, index: number) => ModelPart[] | AsyncIterable<ModelPart>;

const NO_USAGE = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };

/** A model without latency for tests and benchmarks: it answers by the script and records every request. */
export class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];

  /** `index` counts requests from 0. An array without `end` gets the matching one. */
  constructor(private readonly script: Script) {}

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    signal.throwIfAborted();
    const index = this.requests.push(request) - 1;
    const parts = this.script(request, index);
    if (Array.isArray(parts)) {
      for (const part of withEnd(parts)) {
        signal.throwIfAborted();
        yield part;
      }
      return;
    }
    yield* partsUntilAborted(parts, signal);
  }
}

function withEnd(parts: ModelPart[]): ModelPart[] {
  if (parts.at(-1)?.type === 'end') return parts;
  const stop_reason = parts.some((part) => part.type === 'tool_call') ? 'tool_use' : 'end_turn';
  return [...parts, { type: 'end', stop_reason, usage: NO_USAGE }];
}

/** Also ends when the script itself waits for something that never comes. */
async function* partsUntilAborted(
  parts: AsyncIterable<ModelPart>,
  signal: AbortSignal,
): AsyncIterable<ModelPart> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await untilAborted(iterator.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a generator that waits forever would never answer.
    void iterator.return?.()?.catch(() => undefined);
  }
}
