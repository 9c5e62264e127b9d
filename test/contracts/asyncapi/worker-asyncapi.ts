import { basename, dirname, join } from 'node:path';
import { PROTOCOL_VERSION, type MessageType } from '#contracts';
import { REQUEST_LIFE_MS } from '../../../libs/messaging/port/ledger-topology.js';
import { messageName, publishedPath } from '../published-schemas.js';
import { describeMessage, SENT_BY_WORKERS, WORKER_MESSAGES } from '../worker-messages.js';
import { BINDING_VERSION, CHANNELS, PARAMETERS, type Channel } from './worker-channels.js';
import { OPERATIONS } from './worker-operations.js';

/** docs/schemas/worker-protocol.asyncapi.yaml */
export const ASYNCAPI_PATH = join(dirname(publishedPath('')), 'worker-protocol.asyncapi.yaml');

const DESCRIPTION = [
  'What a tool worker of a group, which has no store, sends to the broker and receives from it.',
  'docs/worker-protocol.md says in which order and by which rules.',
  'Every message has `content_type: application/json` and the `id` of its envelope as `message_id`.',
  'A name with `{…}` has a parameter, also in the bindings.',
  'Extensions: `x-arguments` are the arguments of a queue, `x-bindings` those of the worker’s own queue,',
  'and `x-queue` is the queue behind a routing key, which workers cannot read.',
].join(' ');

const isCorrelated = (type: MessageType): boolean =>
  type === 'ledger.answered' ||
  (type !== 'ledger.progress' && (SENT_BY_WORKERS as readonly MessageType[]).includes(type));

/** The wire of a worker in a group, as an AsyncAPI document: https://www.asyncapi.com/docs/reference/specification/v3.1.0 */
export function workerAsyncapi(): object {
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Switchyard: the protocol of workers without the store',
      version: PROTOCOL_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: { broker: server() },
    channels: mapValues(CHANNELS, channelObject),
    operations: OPERATIONS,
    components: {
      messages: Object.fromEntries(WORKER_MESSAGES.map((type) => [type, messageObject(type)])),
      parameters: mapValues(PARAMETERS, (description) => ({ description })),
      correlationIds: {
        request: {
          description: 'The same in a request, its repetitions and their answers.',
          location: '$message.payload#/body/request_id',
        },
      },
      operationTraits: {
        request: {
          bindings: {
            amqp: {
              expiration: REQUEST_LIFE_MS,
              deliveryMode: 1,
              mandatory: true,
              bindingVersion: BINDING_VERSION,
            },
          },
        },
      },
      securitySchemes: {
        group: { type: 'userPassword', description: 'The broker user of the group (docs/worker-groups.md).' },
      },
    },
  };
}

function server(): object {
  return {
    host: 'localhost:5672',
    pathname: '/{vhost}',
    protocol: 'amqp',
    protocolVersion: '0.9.1',
    description: 'The installation’s RabbitMQ. `RABBITMQ_URL` has its address.',
    variables: { vhost: { default: '', description: 'Its virtual host, percent-encoded.' } },
    security: [{ $ref: '#/components/securitySchemes/group' }],
  };
}

function channelObject({ address, title, description, messages, amqp }: Channel): object {
  const refs = (kind: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
  const parameters = [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return {
    address,
    title,
    description,
    messages: refs('messages', messages),
    ...(parameters.length > 0 && { parameters: refs('parameters', parameters) }),
    bindings: { amqp },
  };
}

function messageObject(type: MessageType): object {
  return {
    name: type,
    title: type,
    summary: describeMessage(type),
    contentType: 'application/json',
    payload: { $ref: `./${basename(publishedPath(messageName(type)))}` },
    ...(isCorrelated(type) && { correlationId: { $ref: '#/components/correlationIds/request' } }),
  };
}

function mapValues<T>(given: Record<string, T>, change: (value: T) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value)]));
}
