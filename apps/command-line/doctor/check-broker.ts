import type { Environment } from '#bootstrap';
import type { Checked } from '#contracts';
import {
  BusSetupError,
  deadLetterQueue,
  fleetNames,
  groupNames,
  inspectBroker,
  ledgerQueueName,
  type BrokerState,
} from '#messaging';
import type { Clock } from '#time';
import { groupHere } from './configured-here.js';

const SUBJECT = 'broker';
const TOPOLOGY = 'Start a process of each kind: it declares what is missing.';
const GROUPS = 'Name the group and its toolsets in CONFIG of every orchestrator, and restart them.';

/** The broker of RABBITMQ_URL: whether it lets us in, and what exists there. */
export async function checkBroker(environment: Environment, clock: Clock): Promise<Checked[]> {
  const { RABBITMQ_URL: url, TOOLSETS = '' } = environment;
  if (!url)
    return [{ subject: SUBJECT, level: 'ok', text: 'RABBITMQ_URL is not set: npm start needs no broker' }];
  const named = TOOLSETS.split(',').map((name) => name.trim());
  const toolsets = named.filter((name) => /^[a-z0-9_]+$/.test(name));
  const group = groupHere(environment);
  try {
    if (group === undefined) return describe(await inspectBroker(url, clock, fleetNames(toolsets)));
    return describeForGroup(group, await inspectBroker(url, clock, groupNames(group, toolsets)));
  } catch (error) {
    if (!(error instanceof BusSetupError)) throw error;
    const mend = 'Start the broker, or correct RABBITMQ_URL: user, password, host, port, virtual host.';
    return [{ subject: SUBJECT, level: 'error', text: error.message, mend }];
  }
}

function describe(state: BrokerState): Checked[] {
  const found = describeMissing(state, TOPOLOGY);
  const deadLetters = state.queues.get(deadLetterQueue.name)?.messages ?? 0;
  if (deadLetters > 0)
    found.push({
      subject: SUBJECT,
      level: 'warning',
      text: `${deadLetters} messages wait in the dead-letter queue, which is emptied at once otherwise`,
      mend: 'Check that an orchestrator runs and reaches the store.',
    });
  if (found.length > 0) return found;
  const text = `RabbitMQ at ${state.place} answers, and has every exchange and queue`;
  return [{ subject: SUBJECT, level: 'ok', text }];
}

function describeForGroup(group: string, state: BrokerState): Checked[] {
  const missing = describeMissing(state, GROUPS);
  if (missing.length > 0) return missing;
  const servers = state.queues.get(ledgerQueueName(group, 'calls'))!.consumers;
  if (servers === 0)
    return [
      {
        ...{ subject: SUBJECT, level: 'error', text: `no orchestrator serves the ledger of group ${group}` },
        mend: 'Start one with the same CONFIG: until then no worker of the group starts.',
      },
    ];
  const serve = servers === 1 ? '1 orchestrator serves' : `${servers} orchestrators serve`;
  const text = `RabbitMQ at ${state.place} answers, and ${serve} group ${group}`;
  return [{ subject: SUBJECT, level: 'ok', text }];
}

function describeMissing({ missing: { exchanges, queues } }: BrokerState, mend: string): Checked[] {
  const texts = [
    ...exchanges.map((name) => `the exchange ${name} does not exist`),
    ...queues.map((name) => `the queue ${name} does not exist`),
  ];
  return texts.map((text) => ({ subject: SUBJECT, level: 'error', text, mend }));
}
