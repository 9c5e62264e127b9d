import type { FailureCode, ToolResult, ToolSource } from '#contracts';

export type FrameErrorCode =
  | 'INVALID_FORMAT'
  | 'ACCESS_DENIED'
  | 'LLM_ERROR'
  | 'INTERNAL_ERROR'
  /** Ours. */
  | 'BUSY'
  | 'BUDGET_EXCEEDED';

export type ResultStatus = ToolResult['status'];

interface ToolFrame {
  tool_name: string;
  /** ISO 8601. */
  timestamp: string;
  tool_call_id: string;
}

/** The conversation of a turn's frames; the Genesis frontend ignores it. */
export interface FramePlace {
  conversation_id: string;
  turn_id: string;
}

/** The server's frames on `/ws/chat`: one JSON object in a text frame. There are no other types. */
export type ServerFrame = Partial<FramePlace> &
  (
    | { type: 'token'; content: string }
    | ({
        type: 'tool_start';
        /** JSON text of `tool_args`. */
        tool_input: string;
        tool_args: Record<string, unknown>;
        source: ToolSource;
      } & ToolFrame)
    | ({
        type: 'tool_complete';
        tool_result: string;
        /** The same text. */
        tool_output: string;
        source: ToolSource;
        status: ResultStatus;
        duration_ms?: number;
      } & ToolFrame)
    | ({ type: 'tool_error'; error_message: string; duration_ms?: number } & ToolFrame)
    | { type: 'complete'; message_id: string; status: 'completed' | 'failed' | 'cancelled' }
    | { type: 'error'; message: string; code: FrameErrorCode }
    | { type: 'pong' }
  );

export const FAILURE_CODES: Record<FailureCode, FrameErrorCode> = {
  model_error: 'LLM_ERROR',
  refused: 'LLM_ERROR',
  context_overflow: 'LLM_ERROR',
  budget_exceeded: 'BUDGET_EXCEEDED',
  internal: 'INTERNAL_ERROR',
};

/**
 * The frontend drops the streamed text at an `error` and stays locked; a text and a `complete` after it unlock it.
 */
export function failureFrames(code: FrameErrorCode, message: string, messageId: string): ServerFrame[] {
  return [
    { type: 'error', message, code },
    { type: 'token', content: message },
    { type: 'complete', message_id: messageId, status: 'failed' },
  ];
}
