import { join } from 'node:path';
import type { Message, MessageType } from '#contracts';
import { root } from '../../docs/documents.js';
import { groupUserUrl } from '../../services/group-user.js';
import { waitFor } from '../../services/wait-for.js';
import type { Cluster } from '../cluster.js';
import { AmqpTap, type WireStep } from './amqp-tap.js';

export const GROUP = { name: 'house', toolsets: ['rooms'] };
const TOOLS = join(root, 'test/e2e/fixtures/transcript-tools');

export function messageOf({ message }: WireStep): Message | undefined {
  return message?.content as Message | undefined;
}

export function requestIdOf({ body }: Message): string | undefined {
  return (body as { request_id?: string }).request_id;
}

/**
 * Starts a worker with the credentials of its group. It runs a call that tells progress and attaches a file, one that
 * asks, and one that is stopped, and ends after SIGTERM. Everything that it and the broker said to each other, in order.
 */
export async function recordCalls(cluster: Cluster): Promise<WireStep[]> {
  const tap = await AmqpTap.start((await groupUserUrl(cluster.broker, GROUP)).href);
  try {
    const worker = await cluster.add('tool-worker', {
      ...{ RABBITMQ_URL: tap.url, MONGODB_URL: '', WORKER_GROUP: GROUP.name },
      ...{ TOOLSETS: GROUP.toolsets.join(), TOOLS_DIR: TOOLS },
    });
    await answered(tap, 'ledger.announce');
    await isListed(cluster);
    await paint(cluster, tap);
    await choose(cluster, tap);
    await stop(cluster, tap);
    await cluster.end(worker, 'SIGTERM');
    return tap.steps;
  } finally {
    await tap.stop();
  }
}

async function paint(cluster: Cluster, tap: AmqpTap): Promise<void> {
  const ann = await cluster.view();
  const { conversation_id, turn_id } = await ann.send('call rooms__paint with {"room":"kitchen"}');
  await ann.ended(conversation_id, turn_id);
  await acknowledged(tap, 1);
}

/** The person answers after the worker has heard that there is no answer yet. */
async function choose(cluster: Cluster, tap: AmqpTap): Promise<void> {
  const ann = await cluster.view();
  const { conversation_id, turn_id } = await ann.send('call rooms__choose with {}');
  await answered(tap, 'ledger.reply');
  await acknowledged(tap, 2);
  const { tool_call_id } = await waitFor(
    () => ann.events('input_required').find((event) => event.turn_id === turn_id),
    { what: 'the question' },
  );
  await ann.request('input', { turn_id, tool_call_id, action: 'accept', content: { colour: 'green' } });
  await ann.ended(conversation_id, turn_id);
}

async function stop(cluster: Cluster, tap: AmqpTap): Promise<void> {
  const ann = await cluster.view();
  const { turn_id } = await ann.send('call rooms__dry with {}');
  const hasStarted = () => ann.events('tool_start').some((event) => event.turn_id === turn_id);
  await waitFor(hasStarted, { what: 'the start of the call' });
  await ann.request('stop', { turn_id });
  await acknowledged(tap, 3);
}

function acknowledged({ steps }: AmqpTap, count: number): Promise<unknown> {
  const isAcknowledged = () =>
    steps.filter(({ from, method }) => from === 'worker' && method === 'BasicAck').length >= count;
  return waitFor(isAcknowledged, { what: `${count} acknowledged calls`, timeoutMs: 30_000 });
}

/** The worker has the answer to a request of this type. */
function answered({ steps }: AmqpTap, asked: MessageType): Promise<unknown> {
  const idsOf = (type: MessageType) =>
    steps.flatMap((step) => {
      const message = messageOf(step);
      return message?.type === type ? [requestIdOf(message)] : [];
    });
  const isAnswered = () => {
    const answers = new Set(idsOf('ledger.answered'));
    return idsOf(asked).some((id) => answers.has(id));
  };
  return waitFor(isAnswered, { what: `the answer to ${asked}`, timeoutMs: 30_000 });
}

function isListed({ gateways: [gateway] }: Cluster): Promise<unknown> {
  const lists = async () => (await (await fetch(`${gateway!.url}/api/tools`)).text()).includes('rooms.dry');
  return waitFor(lists, { what: 'the offer', timeoutMs: 30_000 });
}
