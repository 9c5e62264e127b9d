import type { ClientRequestName } from '#contracts';
import type { Ids } from './things.js';

/** A request about a thing, or why it is about nobody's. */
export type SocketCase = { about: (ids: Ids) => object; isSilent?: string } | { own: string };

/** Every event that clients may send. */
export const SOCKET_CASES: Record<ClientRequestName, SocketCase> = {
  message: { about: ({ conversation }) => ({ conversation_id: conversation, content: 'hello' }) },
  join: { about: ({ conversation }) => ({ conversation_id: conversation }) },
  leave: {
    about: ({ conversation }) => ({ conversation_id: conversation }),
    isSilent: 'leaving what one does not follow is no error, whatever it is',
  },
  stop: { about: ({ turn }) => ({ turn_id: turn }) },
  tool_approval: {
    about: ({ turn, approval }) => ({ turn_id: turn, tool_call_id: approval, decision: 'approve' }),
  },
  input: { about: ({ turn, question }) => ({ turn_id: turn, tool_call_id: question, content: {} }) },
  ping: { own: 'it is about nothing' },
};

/** Paths on which a connection is upgraded, each with where it is tried whom it lets in. */
export const UPGRADES: Record<string, string> = {
  '/socket.io/': 'the events above',
  '/ws/chat': 'genesis-chat, in a block of its own',
};
