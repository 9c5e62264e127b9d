export type {
  Bus,
  Consumer,
  DeadDelivery,
  Delivery,
  DeliveryOutcome,
  Handler,
  PublishOutcome,
} from './port/bus.port.js';
export { BusSetupError, BusUnavailableError } from './port/bus-errors.js';
export type { BusLogger } from './port/bus-logger.js';
export type { BusObserver } from './port/bus-observer.js';
export {
  commandQueue,
  deadLetterQueue,
  DELIVERY_LIMIT,
  exchanges,
  kindOfQueue,
  sharedQueues,
  toolsQueue,
} from './port/topology.js';
export { fleetNames, groupNames, type BrokerNames } from './port/broker-names.js';
export {
  foreignHosts,
  ledgerQueueName,
  rightsOf,
  LEDGER_PURPOSES,
  type LedgerPurpose,
  type WorkerGroup,
} from './port/ledger-topology.js';
export { type BrokerState, inspectBroker } from './rabbitmq/inspect-broker.adapter.js';
export { removeFromBroker } from './rabbitmq/remove-from-broker.adapter.js';
export { createRabbitmqBus } from './rabbitmq/bus.adapter.js';
export { createMemoryBus } from './memory/memory-bus.adapter.js';
export { MemoryBroker } from './memory/memory-broker.js';
export { BusStrategy } from './nest/bus-strategy.js';
export { connectBus, startBusApp } from './nest/connect-bus.js';
export { Handles, HandlesDead, HandlesEach } from './nest/handles.js';
export { BusContext } from './nest/bus-context.js';
export { IN_HAND_MS, PausableConsumer } from './port/pausable-consumer.js';
