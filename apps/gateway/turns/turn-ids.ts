import { createHash } from 'node:crypto';

const ID_LENGTH = 22;

/** The same message of a client is the same turn, whichever gateway it reaches. */
export function turnIdOf(conversationId: string, clientMessageId: string): string {
  return `turn_${hash(conversationId, clientMessageId)}`;
}

/** The conversation that a first message without one starts. */
export function firstConversationIdOf(userId: string, clientMessageId: string): string {
  return `conv_${hash(userId, clientMessageId)}`;
}

/** The conversation that a client of a dialect knows by its own name. */
export function namedConversationIdOf(userId: string, dialect: string, name: string): string {
  return `conv_${hash(userId, dialect, name)}`;
}

/** The conversation that replaces a deleted one, for clients that know no ids. */
export function followingConversationIdOf(conversationId: string): string {
  return `conv_${hash(conversationId)}`;
}

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, ID_LENGTH);
}
