import { makeArtifact, referenceTo, type ToolContext } from '#tools';

const PLACE = {
  user_id: 'user-1',
  conversation_id: 'conversation-1',
  turn_id: 'turn-1',
  tool_call_id: 'call_0123456789abcdefghijkl',
};

/** A context for one call; override the parts that the test is about. */
export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    toolCallId: 'call_0123456789abcdefghijkl',
    turnId: 'turn-1',
    conversationId: 'conversation-1',
    userId: 'user-1',
    attempt: 1,
    signal: new AbortController().signal,
    deadline: Date.now() + 60_000,
    wantsLogs: false,
    progress: () => undefined,
    attach: async (attachment) => referenceTo(makeArtifact(PLACE, attachment, '2026-03-01T10:00:00.000Z')),
    ask: () => Promise.reject(new Error('nobody is there')),
    ...overrides,
  };
}
