import type { ModelMessage } from './model-message.js';

/** Every provider would refuse the transcript: a bug of this program, never the user's. */
export class TranscriptError extends Error {
  override name = 'TranscriptError';
}

/**
 * Checked before every model call: roles alternate from `user`, nothing is empty, and each `tool_use` is answered
 * by exactly one `tool_result` at the front of the next user message.
 *
 * @param from index of the first message that has not been checked before; the ones below it are trusted.
 * @throws TranscriptError naming the message.
 */
export function assertTranscript(messages: ModelMessage[], from = 0): void {
  const start = Math.max(0, from - 1);
  for (let i = start; i < messages.length; i++) checkMessage(messages, i);
  const last = messages.at(-1);
  if (!last) throw new TranscriptError('The transcript is empty.');
  if (last.role === 'assistant' && toolUses(last).length > 0) {
    throw new TranscriptError(`Message ${messages.length - 1}: tool_use without a tool_result after it.`);
  }
}

function checkMessage(messages: ModelMessage[], i: number): void {
  const message = messages[i]!;
  const expected = i % 2 === 0 ? 'user' : 'assistant';
  if (message.role !== expected) throw new TranscriptError(`Message ${i}: expected role ${expected}.`);
  if (message.content.length === 0) throw new TranscriptError(`Message ${i}: empty content.`);
  if (message.role === 'user') checkResults(message, i > 0 ? toolUses(messages[i - 1]!) : [], i);
}

function checkResults(message: ModelMessage & { role: 'user' }, asked: string[], i: number): void {
  const front = message.content.slice(0, asked.length);
  const answered = front.map((item) => (item.type === 'tool_result' ? item.tool_call_id : undefined));
  const results = message.content.filter((item) => item.type === 'tool_result');
  if (results.length !== asked.length || new Set(asked).size !== asked.length) {
    throw new TranscriptError(`Message ${i}: ${results.length} tool_results for ${asked.length} tool_uses.`);
  }
  for (const id of asked) {
    if (!answered.includes(id))
      throw new TranscriptError(`Message ${i}: no tool_result at its front for ${id}.`);
  }
}

function toolUses(message: ModelMessage): string[] {
  if (message.role !== 'assistant') return [];
  return message.content.flatMap((block) => (block.type === 'tool_use' ? [block.tool_call_id] : []));
}
