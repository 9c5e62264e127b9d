import type { ErrorReply } from './scripted-api.js';

/** How the fake answers one request. */
export type ScriptedReply = MessageReply | ErrorReply;

export interface MessageReply {
  content: ReplyBlock[];
  /** Default: `tool_use` if there is a tool_use block, else `end_turn`. */
  stopReason?: string;
  usage?: Partial<ReplyUsage>;
  /** Nothing is sent, not even headers, before this settles. */
  hold?: Promise<unknown>;
  /** Pause before each content event; pings are sent meanwhile. */
  eventDelayMs?: number;
  /** What happens after the content instead of a proper end: the connection dies, the body just ends, or an error event. */
  breakOff?: 'cut' | 'end' | { error: { type: string; message: string } };
}

export type ReplyBlock =
  | { type: 'text'; chunks: string[] }
  | { type: 'thinking'; chunks: string[]; signature: string }
  | { type: 'redacted_thinking'; data: string }
  /** `json` is streamed as it is (possibly cut off), in pieces of 8 characters; otherwise `input` is. */
  | { type: 'tool_use'; id: string; name: string; input?: Record<string, unknown>; json?: string }
  /** Nothing further is sent before this settles. */
  | { type: 'hold'; until: Promise<unknown> };

export interface ReplyUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

export type ReplyEvent = { type: string } & Record<string, unknown>;

const JSON_PIECE = 8;

export function say(...chunks: string[]): MessageReply {
  return { content: [{ type: 'text', chunks }] };
}

/** A reply that asks for tools: `[provider id, tool name, input]`. */
export function useTools(
  ...calls: [id: string, name: string, input: Record<string, unknown>][]
): MessageReply {
  return { content: calls.map(([id, name, input]) => ({ type: 'tool_use', id, name, input })) };
}

export function usageOf(reply: MessageReply): ReplyUsage {
  const zero = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return { input_tokens: 10, output_tokens: 5, ...zero, ...reply.usage };
}

export function messageStart(model: unknown, index: number, reply: MessageReply): ReplyEvent {
  const usage = { ...usageOf(reply), output_tokens: 1 };
  const message = { id: `msg_fake${index}`, type: 'message', role: 'assistant', model, content: [] };
  return { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } };
}

/** The events of one block, `content_block_start` to `content_block_stop`. */
export function blockEvents(block: Exclude<ReplyBlock, { type: 'hold' }>, index: number): ReplyEvent[] {
  const start = (content_block: unknown): ReplyEvent => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  const delta = (value: unknown): ReplyEvent => ({ type: 'content_block_delta', index, delta: value });
  const stop: ReplyEvent = { type: 'content_block_stop', index };
  switch (block.type) {
    case 'text': {
      const deltas = block.chunks.map((text) => delta({ type: 'text_delta', text }));
      return [start({ type: 'text', text: '' }), ...deltas, stop];
    }
    case 'thinking': {
      const deltas = block.chunks.map((thinking) => delta({ type: 'thinking_delta', thinking }));
      const signature = delta({ type: 'signature_delta', signature: block.signature });
      return [start({ type: 'thinking', thinking: '', signature: '' }), ...deltas, signature, stop];
    }
    case 'redacted_thinking':
      return [start({ type: 'redacted_thinking', data: block.data }), stop];
    case 'tool_use': {
      const json = block.json ?? JSON.stringify(block.input ?? {});
      const pieces = ['', ...(json.match(new RegExp(`[^]{1,${JSON_PIECE}}`, 'g')) ?? [])];
      const deltas = pieces.map((partial_json) => delta({ type: 'input_json_delta', partial_json }));
      return [start({ type: 'tool_use', id: block.id, name: block.name, input: {} }), ...deltas, stop];
    }
  }
}

export function endEvents(reply: MessageReply): ReplyEvent[] {
  if (typeof reply.breakOff === 'object') return [{ type: 'error', error: reply.breakOff.error }];
  if (reply.breakOff === 'end') return [];
  const asksForTools = reply.content.some((block) => block.type === 'tool_use');
  const stop_reason = reply.stopReason ?? (asksForTools ? 'tool_use' : 'end_turn');
  const usage = usageOf(reply);
  return [
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}
