import { PROTOCOL_VERSION, type Body, type Message, type MessageType } from './messages.js';

/** The sender's clock and random source. */
interface Sender {
  clock: { wall(): number };
  random: { id(): string };
}

/** A message stamped now, with a new id. */
export function newMessage<T extends MessageType>(
  { clock, random }: Sender,
  type: T,
  body: Body<T>,
  traceparent?: string,
): Message {
  const at = new Date(clock.wall()).toISOString();
  const envelope = { id: random.id(), type, version: PROTOCOL_VERSION, at, body };
  return (traceparent ? { ...envelope, traceparent } : envelope) as Message;
}
