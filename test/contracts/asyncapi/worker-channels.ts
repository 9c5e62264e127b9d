import { controlKey, type LedgerRequestType, type MessageType } from '#contracts';
import { commandQueue, ledgerQueueName, toolsQueue, LEDGER_PURPOSES, type LedgerPurpose } from '#messaging';
import {
  ledgerExchange,
  ledgerQueue,
  REQUEST_LIFE_MS,
} from '../../../libs/messaging/port/ledger-topology.js';
import { controlQueue, type QueueDefinition } from '../../../libs/messaging/port/topology.js';
import { CONTROL_OF_WORKERS, SENT_BY_WORKERS } from '../worker-messages.js';

/** The version of the AMQP bindings: https://github.com/asyncapi/bindings/tree/master/amqp */
export const BINDING_VERSION = '0.3.0';

export interface Channel {
  address: string;
  title: string;
  description: string;
  messages: readonly MessageType[];
  amqp: object;
}

export const PARAMETERS = {
  toolset: 'Name of a toolset of the group.',
  group: 'Name of the group of workers.',
  worker: 'The part of the worker’s id after `--`: a UUID, new at each start.',
  connection: 'Any text; another one for each connection.',
  orchestrator: 'The part of an orchestrator’s control key after the dot.',
} as const;

/** The code builds names from real ones; these stand for them until the names are made. */
const SAMPLE = {
  group: 'sample-group',
  worker: '00000000-0000-4000-8000-000000000001',
  connection: 'sample_connection',
  orchestrator: '00000000-0000-4000-8000-000000000002',
};

function withParameters(name: string): string {
  return Object.entries(SAMPLE).reduce((text, [key, value]) => text.replaceAll(value, `{${key}}`), name);
}

function queueOf({ name, durable, exclusive, arguments: args }: QueueDefinition): object {
  return {
    is: 'queue',
    queue: { name: withParameters(name), durable, exclusive, autoDelete: false },
    'x-arguments': args,
    bindingVersion: BINDING_VERSION,
  };
}

const ledgerExchangeOfGroup = {
  is: 'routingKey',
  exchange: { name: ledgerExchange('{group}'), type: 'direct', durable: true, autoDelete: false },
  bindingVersion: BINDING_VERSION,
};

const control = controlQueue(
  { role: 'worker', processId: `worker-${SAMPLE.group}--${SAMPLE.worker}` },
  SAMPLE.connection,
);

/** Where a request goes that any orchestrator may serve. */
export function purposeOf(type: LedgerRequestType): LedgerPurpose {
  if (type === 'ledger.beat') return 'beats';
  return type === 'ledger.artifact' ? 'bulk' : 'calls';
}

/** About a call, so that one orchestrator is asked first. */
export function isAboutCall(type: LedgerRequestType): boolean {
  return !['ledger.beat', 'ledger.announce', 'ledger.leave', 'ledger.cancel'].includes(type);
}

/** `calls` → `ledgerCalls`. */
export function ledgerChannel(purpose: LedgerPurpose): string {
  return `ledger${purpose[0]!.toUpperCase()}${purpose.slice(1)}`;
}

const QUEUE_OF_PURPOSE: Record<LedgerPurpose, string> = {
  calls: 'Requests about calls, offers and the end of a worker',
  beats: 'Beats',
  bulk: 'Parts of artifacts',
};

function channelOfPurpose(purpose: LedgerPurpose): Channel {
  const queue = withParameters(ledgerQueueName(SAMPLE.group, purpose));
  return {
    address: purpose,
    title: `${QUEUE_OF_PURPOSE[purpose]}, to any orchestrator`,
    description: `Orchestrators declare the exchange and its queue \`${queue}\`, and share it. A request waits there for at most ${REQUEST_LIFE_MS} ms.`,
    messages: SENT_BY_WORKERS.filter((type) => purposeOf(type) === purpose),
    amqp: {
      ...ledgerExchangeOfGroup,
      'x-queue': { name: queue, arguments: ledgerQueue(SAMPLE.group, purpose).arguments },
    },
  };
}

export const CHANNELS: Record<string, Channel> = {
  toolCalls: {
    address: toolsQueue('{toolset}'),
    title: 'Calls of a toolset',
    description:
      'Orchestrators declare it. The workers of the group share it: consume it, do not declare it.',
    messages: ['tool.call'],
    amqp: queueOf(commandQueue(toolsQueue('{toolset}'))),
  },
  control: {
    address: withParameters(control.name),
    title: 'The worker’s own control queue',
    description:
      'The worker declares it on each connection, binds it, and consumes it without acknowledgements.',
    messages: CONTROL_OF_WORKERS,
    amqp: {
      ...queueOf(control),
      'x-bindings': control.bindings.map(({ exchange, key }) => ({
        exchange: withParameters(exchange),
        routingKey: withParameters(key),
      })),
    },
  },
  ...Object.fromEntries(
    LEDGER_PURPOSES.map((purpose) => [ledgerChannel(purpose), channelOfPurpose(purpose)]),
  ),
  ledgerOrchestrator: {
    address: withParameters(controlKey(`orchestrator-${SAMPLE.orchestrator}`)),
    title: 'Requests about calls, to one orchestrator',
    description:
      'The `reply_to` of the call, and after its claim the `server` of the answer. The message returns when that orchestrator is gone: then any other one is asked.',
    messages: SENT_BY_WORKERS.filter(isAboutCall),
    amqp: ledgerExchangeOfGroup,
  },
};
