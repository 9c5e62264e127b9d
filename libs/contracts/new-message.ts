import { PROTOCOL_VERSION, type Body, type Message, type MessageType } from './messages.js';
import type { Turn } from './records/turn.js';

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

/** The hint to look at a turn, as a part of the turn's trace. */
export function turnHint(
  sender: Sender,
  { _id: turn_id, conversation_id, traceparent }: Pick<Turn, '_id' | 'conversation_id' | 'traceparent'>,
): Message {
  return newMessage(sender, 'turn.advance', { turn_id, conversation_id }, traceparent);
}
