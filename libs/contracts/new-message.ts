import { PROTOCOL_VERSION, type Body, type Message, type MessageType } from './messages.js';

/** A message of now, with an id of its own. */
export function newMessage<T extends MessageType>(type: T, body: Body<T>, traceparent?: string): Message {
  const envelope = {
    id: crypto.randomUUID(),
    type,
    version: PROTOCOL_VERSION,
    at: new Date().toISOString(),
    body,
  };
  return (traceparent ? { ...envelope, traceparent } : envelope) as Message;
}
