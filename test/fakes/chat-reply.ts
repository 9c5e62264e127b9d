import type { RawReply } from './scripted-api.js';

type Delta = Record<string, unknown>;

const PIECE = 8;

/** The body of an answer: chunks as the standard has them, the usage, and the last line. */
export function chatBody(
  deltas: Delta[],
  finishReason = 'stop',
  usage: Record<string, unknown> = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
): string {
  const chunk = (rest: object) => ({
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'fake',
    ...rest,
  });
  const choices = [
    ...deltas.map((delta) => ({ delta, finish_reason: null })),
    { delta: {}, finish_reason: finishReason },
  ];
  const chunks = choices.map((choice) => chunk({ choices: [{ index: 0, ...choice }], usage: null }));
  return `${[...chunks, chunk({ choices: [], usage })].map(toEvent).join('')}data: [DONE]\n\n`;
}

export function toEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

export function chatSay(...texts: string[]): RawReply {
  return { raw: chatBody(texts.map((content) => ({ content }))) };
}

/** `[provider id, tool name, arguments]`, streamed in pieces, one call after the other. */
export function chatUseTools(
  ...calls: [id: string, name: string, args: Record<string, unknown>][]
): RawReply {
  const deltas = calls.flatMap(([id, name, args], index) => {
    const pieces = JSON.stringify(args).match(new RegExp(`[^]{1,${PIECE}}`, 'g')) ?? [];
    const start = { index, id, type: 'function', function: { name, arguments: '' } };
    const rest = pieces.map((piece) => ({ index, function: { arguments: piece } }));
    return [start, ...rest].map((call) => ({ tool_calls: [call] }));
  });
  return { raw: chatBody([{ role: 'assistant', content: null }, ...deltas], 'tool_calls') };
}
