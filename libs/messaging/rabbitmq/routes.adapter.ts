import type { ChannelModel } from 'amqplib';
import { groupOf } from '#contracts';
import { BusSetupError } from '../port/bus-errors.js';
import type { BusLogger } from '../port/bus-logger.js';
import {
  ledgerExchange,
  parseLedgerQueue,
  REQUEST_LIFE_MS,
  type WorkerGroup,
} from '../port/ledger-topology.js';
import { controlExchangeOf, exchanges, kindOfQueue } from '../port/topology.js';
import { declareLedgerQueue } from './ledger-routes.adapter.js';
import { declareCommandQueue, declareTopology } from './topology.adapter.js';

export interface Route {
  exchange: string;
  key: string;
  persistent: boolean;
  /** Ms, after which the broker drops a message that still waits. */
  expiration?: number;
}

/** What a process declares, and how its messages travel. */
export interface Routes {
  /** Before it publishes. */
  declare(model: ChannelModel, logger: BusLogger): Promise<void>;
  /** Before it consumes. */
  declareQueue(model: ChannelModel, queue: string, logger: BusLogger): Promise<void>;
  toQueue(queue: string): Route;
  toProcess(controlKey: string): Route;
  /** An exchange that may not exist, because no process of this kind declares it. */
  mayBeMissing(route: Route): boolean;
  /** It has neither events nor dead letters: both would need rights on what other processes use. */
  readonly isRestricted: boolean;
}

/** Of a process that may use everything. `groups`: those whose ledger it serves. */
export function fleetRoutes(groups: readonly WorkerGroup[]): Routes {
  return {
    declare: declareTopology,
    declareQueue: async (model, queue, logger) => {
      const ledger = parseLedgerQueue(queue);
      if (!ledger) return declareCommandQueue(model, queue, logger);
      const group = groups.find(({ name }) => name === ledger.group);
      if (!group) throw new BusSetupError(`there is no group ${ledger.group}`);
      await declareLedgerQueue(model, group, ledger.purpose, logger);
    },
    toQueue: (queue) => ({
      exchange: exchanges.commands,
      key: queue,
      persistent: kindOfQueue(queue) !== 'ledger',
    }),
    toProcess: (key) => ({ exchange: controlExchangeOf(key), key, persistent: false }),
    mayBeMissing: ({ exchange }) => exchange.startsWith(`${exchanges.control}.`),
    isRestricted: false,
  };
}

/** Of a worker of a group: it may declare only its own queue, and write only to its ledger. */
export function groupRoutes(group: string): Routes {
  const ask = (key: string): Route => ({
    exchange: ledgerExchange(group),
    key,
    persistent: false,
    expiration: REQUEST_LIFE_MS,
  });
  return {
    declare: async () => undefined,
    // Orchestrators declare them; consuming one that is missing is tried again.
    declareQueue: async () => undefined,
    toQueue: (queue) => {
      const ledger = parseLedgerQueue(queue);
      if (ledger?.group !== group) throw new TypeError(`a worker of group ${group} cannot write to ${queue}`);
      return ask(ledger.purpose);
    },
    toProcess: ask,
    mayBeMissing: () => false,
    isRestricted: true,
  };
}

export function routesOf(processId: string, groups: readonly WorkerGroup[]): Routes {
  const group = groupOf(processId);
  return group === undefined ? fleetRoutes(groups) : groupRoutes(group);
}
