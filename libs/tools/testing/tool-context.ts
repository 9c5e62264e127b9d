import type { ToolContext } from '../tool.port.js';

/** A context for one call; override what the test is about. */
export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    toolCallId: 'call_0123456789abcdefghijkl',
    conversationId: 'conversation-1',
    userId: 'user-1',
    attempt: 1,
    signal: new AbortController().signal,
    deadline: Date.now() + 60_000,
    progress: () => undefined,
    ask: () => Promise.reject(new Error('nobody is there')),
    ...overrides,
  };
}
