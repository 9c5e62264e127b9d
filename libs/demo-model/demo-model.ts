import type { Model, ModelPart, ModelRequest } from '#llm';
import { yieldToEventLoop, type Clock } from '#time';
import { replyTo, type Reply } from './reply.js';

const DEFAULT_TOKEN_DELAY_MS = 15;
/** The number of words after which other work gets its turn when there is no delay. */
const WORDS_WITHOUT_PAUSE = 50;
const CHARACTERS_PER_TOKEN = 4;

/**
 * Answers without a network, by fixed rules, so that everything can be tried without a key. The same request
 * always gets the same parts; only their pace depends on `tokenDelayMs`.
 */
export class DemoModel implements Model {
  constructor(
    private readonly clock: Clock,
    private readonly tokenDelayMs = DEFAULT_TOKEN_DELAY_MS,
  ) {}

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    signal.throwIfAborted();
    const reply = replyTo(request);
    if (reply.thinking) {
      for await (const text of this.speak(reply.thinking, reply, signal)) yield { type: 'thinking', text };
      yield { type: 'thinking_end', text: reply.thinking };
    }
    const spoken = reply.text.slice(0, request.max_output_tokens * CHARACTERS_PER_TOKEN);
    for await (const text of this.speak(spoken, reply, signal)) yield { type: 'text', text };
    const isCutOff = spoken.length < reply.text.length;
    const calls = isCutOff ? [] : reply.calls;
    for (const call of calls) yield { type: 'tool_call', ...call, raw: JSON.stringify(call.arguments) };
    const whole = calls.length > 0 ? 'tool_use' : 'end_turn';
    const stop_reason = isCutOff ? 'max_tokens' : whole;
    yield { type: 'end', stop_reason, usage: estimateUsage(request, `${spoken}${JSON.stringify(calls)}`) };
  }

  private async *speak(text: string, { slowness = 1 }: Reply, signal: AbortSignal): AsyncIterable<string> {
    const words = text.match(/\s*\S+\s*/g) ?? [];
    for (const [index, word] of words.entries()) {
      await this.pause(slowness, index, signal);
      yield word;
    }
  }

  private async pause(slowness: number, index: number, signal: AbortSignal): Promise<void> {
    if (this.tokenDelayMs > 0) await this.clock.sleep(this.tokenDelayMs * slowness, signal);
    else if (index % WORDS_WITHOUT_PAUSE === 0) await yieldToEventLoop(this.clock);
    signal.throwIfAborted();
  }
}

function estimateUsage({ system, tools, messages }: ModelRequest, said: string) {
  const read = system.length + JSON.stringify(tools).length + JSON.stringify(messages).length;
  return { input_tokens: toTokens(read), output_tokens: toTokens(said.length), cached_tokens: 0 };
}

function toTokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / CHARACTERS_PER_TOKEN));
}
