import { PROTOCOL_VERSION, type Body, type Message, type MessageType } from './messages.js';

/** Whose message it is: its clock and its chance. */
interface Sender {
  clock: { wall(): number };
  random: { id(): string };
}

/** A message of now, with an id of its own. */
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
