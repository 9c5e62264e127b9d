/* The events of AG-UI 1.0 that are sent: https://docs.ag-ui.com/concepts/events. Each is one object with a type. */

export interface ToolCallPart {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** A message in a snapshot. A client's messages go back unchanged. */
export type AgUiMessage =
  | { id: string; role: 'user'; content: string }
  | { id: string; role: 'assistant'; content?: string; toolCalls?: ToolCallPart[] }
  | { id: string; role: 'tool'; toolCallId: string; content: string; error?: string }
  | Record<string, unknown>;

/** A question to a person. Its id is `<tool_call_id>:approval` or `<tool_call_id>:input:<number>`. */
export interface Interrupt {
  id: string;
  reason: 'tool_approval' | 'input_required';
  message: string;
  toolCallId: string;
  /** JSON Schema of the answer's payload. */
  responseSchema: Record<string, unknown>;
  expiresAt?: string;
}

/** Tokens that a run has used; cached ones are part of the input's. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  cachedInputTokens: number;
}

type Outcome = { type: 'success' } | { type: 'cancelled' } | { type: 'interrupt'; interrupts: Interrupt[] };

export type AgUiEvent =
  | { type: 'RUN_STARTED'; threadId: string; runId: string; protocolVersion: string; metadata: object }
  | { type: 'RUN_FINISHED'; threadId: string; runId: string; outcome: Outcome; usage?: TokenUsage[] }
  | { type: 'RUN_ERROR'; message: string; code: string }
  | { type: 'STEP_STARTED' | 'STEP_FINISHED'; stepName: string }
  | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant' }
  | { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
  | { type: 'TEXT_MESSAGE_END' | 'REASONING_MESSAGE_END'; messageId: string }
  | { type: 'REASONING_START' | 'REASONING_END'; messageId: string }
  | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
  | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId: string }
  | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
  | { type: 'TOOL_CALL_END'; toolCallId: string }
  | { type: 'TOOL_CALL_RESULT'; messageId: string; toolCallId: string; content: string; role: 'tool' }
  | { type: 'MESSAGES_SNAPSHOT'; messages: AgUiMessage[] }
  | { type: 'CUSTOM'; name: 'tool_progress' | 'waiting'; value: object };

export const PROTOCOL_VERSION = '1.0';

/** One event in the format of Server-Sent Events. */
export function toData(event: AgUiEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
