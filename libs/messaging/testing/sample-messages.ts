import { randomUUID } from 'node:crypto';
import { PROTOCOL_VERSION, type ConversationEvent, type Message } from '#contracts';

export function turnAdvance(turnId = `turn-${randomUUID()}`): Message<'turn.advance'> {
  return {
    ...envelope(),
    type: 'turn.advance',
    body: { turn_id: turnId, conversation_id: 'conversation-1' },
  };
}

export function toolCall(): Message<'tool.call'> {
  return {
    ...envelope(),
    type: 'tool.call',
    body: {
      tool_call_id: 'call_0123456789abcdefghijAB',
      turn_id: 'turn-1',
      conversation_id: 'conversation-1',
      n: 1,
      user_id: 'user-1',
      tool_name: 'math.add',
      arguments: { a: 1, b: 2 },
      class: 'read',
      timeout_ms: 1_000,
      deadline: new Date().toISOString(),
      reply_to: 'orchestrator.abc',
    },
  };
}

export function probe(): Message<'probe'> {
  return { ...envelope(), type: 'probe', body: {} };
}

export function superseded(turnId: string): Message<'turn.superseded'> {
  return { ...envelope(), type: 'turn.superseded', body: { turn_id: turnId, attempt: 2 } };
}

export function token(conversationId: string, offset: number, content = 'x'): ConversationEvent {
  return {
    type: 'token',
    conversation_id: conversationId,
    turn_id: 'turn-1',
    timestamp: new Date().toISOString(),
    step: 1,
    attempt: 100,
    content,
    offset,
  };
}

function envelope(): { id: string; version: string; at: string } {
  return { id: randomUUID(), version: PROTOCOL_VERSION, at: new Date().toISOString() };
}
