import { PROTOCOL_VERSION, type Body, type Message, type MessageType } from './messages.js';

/** Whose message it is: its clock and its chance. */
interface Sender {
  clock: { wall(): number };
  random: { id(): string };
}

const machine: Sender = { clock: { wall: Date.now }, random: { id: () => crypto.randomUUID() } };

/** A message of now, with an id of its own. */
export function newMessage<T extends MessageType>(
  sender: Sender,
  type: T,
  body: Body<T>,
  traceparent?: string,
): Message;
/** @deprecated Of the machine's clock. */
export function newMessage<T extends MessageType>(type: T, body: Body<T>, traceparent?: string): Message;
export function newMessage(...given: [Sender | string, ...unknown[]]): Message {
  const [sender, type, body, traceparent] = typeof given[0] === 'string' ? [machine, ...given] : given;
  const at = new Date((sender as Sender).clock.wall()).toISOString();
  const envelope = { id: (sender as Sender).random.id(), type, version: PROTOCOL_VERSION, at, body };
  return (traceparent ? { ...envelope, traceparent } : envelope) as Message;
}
