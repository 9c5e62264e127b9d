import type { ChannelModel } from 'amqplib';
import { controlKey } from '#contracts';
import type { BusLogger } from '../port/bus-logger.js';
import {
  groupControlExchange,
  ledgerExchange,
  ledgerQueue,
  type LedgerPurpose,
  type WorkerGroup,
} from '../port/ledger-topology.js';
import { exchanges, toolsQueue } from '../port/topology.js';
import { declareCommandQueue, declareExchanges, declareQueue, onOwnChannel } from './topology.adapter.js';

/** Everything that the workers of a group use: they may declare nothing but their own queues. */
async function declareGroup(
  model: ChannelModel,
  { name, toolsets }: WorkerGroup,
  logger: BusLogger,
): Promise<void> {
  const control = groupControlExchange(name);
  await declareExchanges(model, [exchanges.control, ledgerExchange(name), control], logger);
  await onOwnChannel(model, (channel) => channel.bindExchange(control, exchanges.control, 'ledger.all'));
  for (const toolset of toolsets) await declareCommandQueue(model, toolsQueue(toolset), logger);
}

export async function declareLedgerQueue(
  model: ChannelModel,
  { name }: WorkerGroup,
  purpose: LedgerPurpose,
  logger: BusLogger,
): Promise<void> {
  await declareExchanges(model, [exchanges.commands, ledgerExchange(name)], logger);
  await declareQueue(model, ledgerQueue(name, purpose), logger);
}

/** Requests of these groups to this process arrive in its own control queue. */
export async function listenToGroups(
  model: ChannelModel,
  {
    groups,
    queue,
    identity,
    logger,
  }: { groups: readonly WorkerGroup[]; queue: string; identity: { processId: string }; logger: BusLogger },
): Promise<void> {
  const own = controlKey(identity.processId);
  for (const group of groups) {
    await declareGroup(model, group, logger);
    await onOwnChannel(model, (channel) => channel.bindQueue(queue, ledgerExchange(group.name), own));
  }
}
