import { groupControlExchange, ledgerExchange, ledgerQueueName } from './ledger-topology.js';
import { deadLetterQueue, exchanges, sharedQueues, toolsQueue } from './topology.js';

/** Exchanges and queues that must exist. */
export interface BrokerNames {
  exchanges: readonly string[];
  queues: readonly string[];
}

/** What every installation has, and the queues of these toolsets. */
export function fleetNames(toolsets: readonly string[]): BrokerNames {
  const { commands, control, dead, events } = exchanges;
  return {
    exchanges: [commands, control, dead, ...events],
    queues: [...sharedQueues, deadLetterQueue.name, ...toolsets.map(toolsQueue)],
  };
}

/** What a worker of the group needs that hosts these toolsets. */
export function groupNames(group: string, toolsets: readonly string[]): BrokerNames {
  return {
    exchanges: [ledgerExchange(group), groupControlExchange(group)],
    queues: [ledgerQueueName(group, 'calls'), ...toolsets.map(toolsQueue)],
  };
}
