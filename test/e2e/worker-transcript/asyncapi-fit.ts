import { expect } from '@jest/globals';
import { REQUEST_LIFE_MS } from '../../../libs/messaging/port/ledger-topology.js';
import { CHANNELS, type Channel } from '../../contracts/asyncapi/worker-channels.js';
import { problemsOf } from '../../contracts/published-validator.js';
import type { RabbitmqForTest } from '../../services/test-services.js';
import type { WireStep } from './amqp-tap.js';
import { GROUP, messageOf } from './record-calls.js';

interface Amqp {
  exchange?: { name: string; type: string; durable: boolean; autoDelete: boolean };
  queue?: { name: string; durable: boolean; exclusive: boolean; autoDelete: boolean };
  'x-arguments'?: object;
  'x-bindings'?: { exchange: string; routingKey: string }[];
  'x-queue'?: { name: string; arguments: object };
}

/** How a worker sends every request, as docs/schemas/worker-protocol.asyncapi.yaml has it. */
const REQUEST = { deliveryMode: 1, expiration: String(REQUEST_LIFE_MS) };

const amqpOf = (channel: Channel) => channel.amqp as Amqp;
const channels = Object.values(CHANNELS);
const control = CHANNELS.control!;

/** A name with parameters fits every name that has something in their places. */
function fits(template: string, name: unknown): boolean {
  const known = template.replaceAll('{group}', GROUP.name).replaceAll('{toolset}', GROUP.toolsets[0]!);
  const pattern = known.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[\\w-]+');
  return new RegExp(`^${pattern}$`).test(String(name));
}

/** What is wrong with a message on the wire, by the published schemas and the AsyncAPI document. */
export function misfitsOf(step: WireStep): string[] {
  const message = messageOf(step);
  if (!message) return [];
  const { exchange, routingKey, mandatory } = step.fields;
  const place = `${step.from} ${message.type} ${String(exchange)} ${String(routingKey)}`;
  const isSent = step.method === 'BasicPublish';
  const found = channels.filter((channel) =>
    isSent
      ? fits(amqpOf(channel).exchange?.name ?? '', exchange) && fits(channel.address, routingKey)
      : isReceivedFrom(channel, exchange, routingKey),
  );
  const { deliveryMode, expiration } = step.message!.properties;
  const isRequest = deliveryMode === REQUEST.deliveryMode && expiration === REQUEST.expiration && mandatory;
  return [
    ...problemsOf(message.type, message),
    ...(found.some(({ messages }) => messages.includes(message.type)) ? [] : ['is in no channel']),
    ...(isSent && !isRequest ? ['is not sent as a request'] : []),
  ].map((problem) => `${place}: ${problem}`);
}

function isReceivedFrom(channel: Channel, exchange: unknown, key: unknown): boolean {
  const { queue, 'x-bindings': bindings = [] } = amqpOf(channel);
  if (!queue) return false;
  return (
    fits(queue.name, key) ||
    bindings.some((binding) => fits(binding.exchange, exchange) && fits(binding.routingKey, key))
  );
}

/** What the worker declares, and what the broker has of the orchestrators, is what the document says. */
export async function checkDeclarations(
  steps: readonly WireStep[],
  { management, vhost }: RabbitmqForTest,
): Promise<void> {
  const { queue, 'x-arguments': args, 'x-bindings': bindings } = amqpOf(control);
  const declared = steps.filter(({ method }) => method === 'QueueDeclare').map(({ fields }) => fields);
  expect(declared).toHaveLength(1);
  const { durable, exclusive, autoDelete } = queue!;
  expect(declared[0]).toMatchObject({ durable, exclusive, autoDelete, arguments: args });
  expect(fits(queue!.name, declared[0]!.queue)).toBe(true);
  const bound = steps.filter(({ method }) => method === 'QueueBind').map(({ fields }) => fields);
  expect(bound).toHaveLength(bindings!.length);
  bindings!.forEach(({ exchange, routingKey }, index) => {
    expect(fits(exchange, bound[index]!.exchange)).toBe(true);
    expect(fits(routingKey, bound[index]!.routingKey)).toBe(true);
  });
  const queues = await management.listQueues(vhost);
  const tools = amqpOf(CHANNELS.toolCalls!);
  const expected = [
    { name: tools.queue!.name, arguments: tools['x-arguments']! },
    ...channels.flatMap((channel) => amqpOf(channel)['x-queue'] ?? []),
  ];
  for (const { name, arguments: own } of expected)
    expect(queues.find((each) => fits(name, each.name))).toMatchObject({
      durable: true,
      arguments: withToolset(own),
    });
  const exchanges = (await management.request('GET', `/api/exchanges/${vhost}`)) as { name: string }[];
  const { name, type, durable: isDurable } = amqpOf(CHANNELS.ledgerCalls!).exchange!;
  expect(exchanges.find((each) => fits(name, each.name))).toMatchObject({ type, durable: isDurable });
}

function withToolset(values: object): object {
  return JSON.parse(JSON.stringify(values).replaceAll('{toolset}', GROUP.toolsets[0]!)) as object;
}
