import { ModelError, type ModelPart, type ModelRequest } from '#llm';
import { ScriptedModel } from '../../libs/llm/scripted/scripted-model.js';
import { TOOL_NAMES } from './lab-tools.js';
import type { Random } from './random.js';

/** Steps with calls that a message asks for; the model may fail to keep to it. */
export function contentFor(clientMessageId: string, steps: number): string {
  return `${clientMessageId} steps=${steps}`;
}

const USAGE = { input_tokens: 10, output_tokens: 5, cached_tokens: 0 };

/** Answers what the last message asks for, now and then slowly, in part, not at all, or with nonsense. */
export function labModel(random: Random): ScriptedModel {
  return new ScriptedModel((request) => speak(request, random));
}

async function* speak(request: ModelRequest, random: Random): AsyncIterable<ModelPart> {
  const stepsLeft = stepsAskedFor(request) - stepsDone(request);
  await pause(random.chance(0.05) ? random.between(2_000, 12_000) : random.between(1, 120));
  failNowAndThen(random);
  const pieces = random.integer(stepsLeft > 0 ? 0 : 1, 4);
  for (let piece = 0; piece < pieces; piece++) {
    yield { type: 'text', text: random.pick(['So ', 'it is ', 'as it is, ', '«ja» ', '👩‍🚀 ']) };
    await pause(random.chance(0.03) ? random.between(500, 4_000) : random.between(1, 80));
    failNowAndThen(random);
  }
  if (random.chance(0.02)) return;
  if (random.chance(0.01)) return yield { type: 'end', stop_reason: 'refusal', usage: USAGE };
  if (random.chance(0.02)) return yield { type: 'end', stop_reason: 'pause_turn', usage: USAGE };
  if (stepsLeft <= 0) return yield { type: 'end', stop_reason: 'end_turn', usage: USAGE };
  const calls = random.integer(1, 4);
  for (let call = 0; call < calls; call++) yield callPart(random);
  const stop_reason = random.chance(0.03) ? 'max_tokens' : 'tool_use';
  yield { type: 'end', stop_reason, usage: USAGE };
}

function callPart(random: Random): ModelPart {
  const name = random.chance(0.05) ? 'lab__unheard_of' : random.pick(TOOL_NAMES).replace('.', '__');
  if (random.chance(0.04)) return { type: 'tool_call', name, arguments: undefined, raw: '{"value":' };
  const args = random.chance(0.05) ? { value: 'seven' } : { value: random.integer(0, 99) };
  return { type: 'tool_call', name, arguments: args, raw: JSON.stringify(args) };
}

function failNowAndThen(random: Random): void {
  if (random.chance(0.03)) {
    const retryAfterMs = random.chance(0.5) ? random.between(10, 1_500) : undefined;
    throw new ModelError('overloaded', 'overloaded', { retryable: true, retryAfterMs });
  }
  if (random.chance(0.005)) throw new ModelError('bad request', 'invalid', { retryable: false });
}

function stepsAskedFor({ messages }: ModelRequest): number {
  return Number(/steps=(\d+)/.exec(lastQuestion(messages).text)?.[1] ?? 0);
}

function stepsDone({ messages }: ModelRequest): number {
  const { at } = lastQuestion(messages);
  return messages.slice(at).filter(({ role }) => role === 'assistant').length;
}

function lastQuestion(messages: ModelRequest['messages']): { at: number; text: string } {
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && content.some(isQuestion));
  const question = messages[at]?.content.findLast(isQuestion);
  return { at, text: question && 'text' in question ? question.text : '' };
}

function isQuestion(item: { type: string; text?: string }): boolean {
  return item.type === 'text' && item.text?.includes('steps=') === true;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
