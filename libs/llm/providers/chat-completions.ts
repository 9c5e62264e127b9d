import type { ChatProvider } from '../openai/chat-provider.js';
import type { Provider } from './provider.js';

type Made = 'open' | 'canForceTool';
type ChatRecord = Omit<Provider, Made> & ChatProvider;

/** The record of a service with OpenAI's Chat Completions. */
export function chatCompletions<const T extends ChatRecord>(record: T): T & Pick<Provider, Made> {
  return {
    ...record,
    canForceTool: (model) => record.features(model).forcedTools,
    async open(access, clock) {
      const { ChatModel } = await import('../openai/chat-model.adapter.js');
      return new ChatModel({ provider: record, clock, ...access });
    },
  };
}
