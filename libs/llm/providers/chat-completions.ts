import type { ChatProvider } from '../openai/chat-provider.js';
import type { Provider } from './provider.js';

type ChatRecord = Omit<Provider, 'open'> & ChatProvider;

/** The record of a service that speaks OpenAI's Chat Completions. */
export function chatCompletions<const T extends ChatRecord>(record: T): T & Pick<Provider, 'open'> {
  return {
    ...record,
    async open(access, clock) {
      const { ChatModel } = await import('../openai/chat-model.adapter.js');
      return new ChatModel({ provider: record, clock, ...access });
    },
  };
}
