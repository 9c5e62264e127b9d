import type { LedgerRequestType, MessageType } from '#contracts';
import { CONTROL_OF_WORKERS, describeMessage, SENT_BY_WORKERS } from '../worker-messages.js';
import { BINDING_VERSION, isAboutCall, ledgerChannel, purposeOf } from './worker-channels.js';

const NOT_ANSWERED: LedgerRequestType[] = ['ledger.progress'];
const isAnswered = (type: LedgerRequestType) => !NOT_ANSWERED.includes(type);
const toRequest = { $ref: '#/components/operationTraits/request' };

export function reference(channel: string, message?: MessageType): { $ref: string } {
  return { $ref: `#/channels/${channel}${message === undefined ? '' : `/messages/${message}`}` };
}

const reply = { channel: reference('control'), messages: [reference('control', 'ledger.answered')] };

function receive(channel: string, type: MessageType, { ack }: { ack: boolean }): object {
  return {
    action: 'receive',
    channel: reference(channel),
    summary: describeMessage(type),
    messages: [reference(channel, type)],
    bindings: { amqp: { ack, bindingVersion: BINDING_VERSION } },
  };
}

/** To the queue that all orchestrators share. */
function sendToAny(type: LedgerRequestType): object {
  const channel = ledgerChannel(purposeOf(type));
  return {
    action: 'send',
    channel: reference(channel),
    summary: describeMessage(type),
    messages: [reference(channel, type)],
    traits: [toRequest],
    ...(isAnswered(type) && { reply }),
  };
}

function sendToOne(types: LedgerRequestType[]): object {
  return {
    action: 'send',
    channel: reference('ledgerOrchestrator'),
    messages: types.map((type) => reference('ledgerOrchestrator', type)),
    traits: [toRequest],
  };
}

/** `ledger.stand_back` → `standBack`, `tool.call` → `toolCall`. */
function nameOf(type: MessageType): string {
  return type.replace('ledger.', '').replace(/[._](\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** From the point of view of a worker. */
export const OPERATIONS: Record<string, object> = {
  toolCall: receive('toolCalls', 'tool.call', { ack: true }),
  ...Object.fromEntries(
    CONTROL_OF_WORKERS.filter((type) => type !== 'ledger.answered').map((type) => [
      nameOf(type),
      receive('control', type, { ack: false }),
    ]),
  ),
  ...Object.fromEntries(SENT_BY_WORKERS.map((type) => [nameOf(type), sendToAny(type)])),
  askOrchestrator: {
    ...sendToOne(SENT_BY_WORKERS.filter((type) => isAboutCall(type) && isAnswered(type))),
    summary: 'The same requests, first to the orchestrator that drives or served the call.',
    reply,
  },
  tellOrchestrator: {
    ...sendToOne(SENT_BY_WORKERS.filter((type) => isAboutCall(type) && !isAnswered(type))),
    summary: 'The same without an answer.',
  },
};
