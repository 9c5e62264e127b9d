import type { StopReason } from '#contracts';
import { ModelError } from '../port/model.port.js';
import type { NamedProvider } from '../port/failed-request.js';

const DECLINED = /content_filter|safety|prohibited|blocklist|recitation|refus/i;
/** The answer is not what the model intended: a retry helps. */
const SPOILT = /malformed|unexpected_tool_call|^error$|insufficient_system_resource/i;

/**
 * Translates `finish_reason` of Chat Completions; servers report `stop` although the model asks for tools. Throws for a
 * spoilt answer.
 */
export function toStopReason(reason: string, hasCalls: boolean, provider: NamedProvider): StopReason {
  if (SPOILT.test(reason)) {
    const message = `The ${provider.title} ended its answer with ${reason.slice(0, 100)}.`;
    throw new ModelError(message, 'server', { retryable: true });
  }
  if (DECLINED.test(reason)) return 'refusal';
  if (reason === 'length' || reason === 'max_tokens') return 'max_tokens';
  return hasCalls ? 'tool_use' : 'end_turn';
}
