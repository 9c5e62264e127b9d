import {
  BusSetupError,
  fleetNames,
  groupNames,
  inspectBroker,
  ledgerQueueName,
  LEDGER_PURPOSES,
  removeFromBroker,
  type BrokerNames,
} from '#messaging';
import { SystemClock } from '#time';
import { CommandError } from '../command-error.js';
import { GROUP } from './contract-server.js';

const clock = new SystemClock();
const fleet = fleetNames(GROUP.toolsets);
const group = groupNames(GROUP.name, []);

/** What the suite declares. */
const NAMES: BrokerNames = {
  exchanges: [...fleet.exchanges, ...group.exchanges],
  queues: [...fleet.queues, ...LEDGER_PURPOSES.map((purpose) => ledgerQueueName(GROUP.name, purpose))],
};

/** Throws when a queue that the suite would use and remove exists: it may be that of an installation. */
export async function requireOwnHost(url: string): Promise<void> {
  const { place, queues } = await inspectBroker(url, clock, { exchanges: [], queues: NAMES.queues });
  if (queues.size === 0) return;
  const found = [...queues].map(([name, { consumers }]) =>
    consumers === 0 ? name : `${name} (consumers: ${consumers})`,
  );
  throw new CommandError(
    `The virtual host of RABBITMQ_URL, ${place}, has queues of Switchyard already: ${found.join(', ')}. ` +
      'The suite would take messages of that installation. Set RABBITMQ_URL to a new virtual host ' +
      '(rabbitmqctl add_vhost <name>); if these queues are left of a run of the suite that was killed, delete the ' +
      'virtual host and create it again.',
  );
}

/** Removes what the suite has declared. What a broker keeps that is gone by now, the next run names. */
export async function clearHost(url: string): Promise<void> {
  try {
    await removeFromBroker(url, clock, NAMES);
  } catch (error) {
    if (!(error instanceof BusSetupError)) throw error;
  }
}

/** Throws when a worker could never use this URL: it would be waited for in vain. */
export async function requireWorkerUrl(workerUrl: string): Promise<void> {
  try {
    const { place, missing } = await inspectBroker(workerUrl, clock, group);
    if (missing.exchanges.length === 0) return;
    throw new CommandError(
      `--worker-url leads to ${place}, which is not the virtual host of RABBITMQ_URL: correct its path.`,
    );
  } catch (error) {
    if (error instanceof BusSetupError) throw new CommandError(`--worker-url: ${error.message}`);
    throw error;
  }
}
