import type { StopReason, TurnView, Usage } from '#contracts';
import { OpenAiRefusal } from './openai-error.js';

/** The reason why an answer ended. */
export type FinishReason = 'stop' | 'length' | 'content_filter';

/** `usage` of a completion; cached tokens are part of the prompt's. */
export interface CompletionUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
}

const SERVER = 'server_error';

/** How a turn ended. Throws `OpenAiRefusal` for one that has no whole answer. */
export function finishOf({ status, error }: TurnView, stopReason: StopReason | null): FinishReason {
  if (status === 'completed') return stopReason === 'max_tokens' ? 'length' : 'stop';
  if (status === 'cancelled')
    throw new OpenAiRefusal('The turn was stopped.', { status: 409, type: SERVER, code: 'cancelled' });
  if (error?.code === 'refused') return 'content_filter';
  const message = error?.message ?? 'The turn failed.';
  if (error?.code === 'context_overflow')
    throw new OpenAiRefusal(message, { param: 'messages', code: 'context_length_exceeded' });
  const httpStatus = error?.code === 'model_error' ? 502 : 500;
  throw new OpenAiRefusal(message, { status: httpStatus, type: SERVER, code: error?.code ?? 'internal' });
}

/** The process stops before the turn has ended. */
export function serverStopping(): OpenAiRefusal {
  const message = 'The server is restarting. The answer will be in the conversation.';
  return new OpenAiRefusal(message, { status: 503, type: SERVER, code: 'server_restarting' });
}

export function toUsage(
  { input_tokens, output_tokens, cached_tokens }: Usage = {
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
  },
): CompletionUsage {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens },
  };
}
