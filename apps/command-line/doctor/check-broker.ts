import type { Environment } from '#bootstrap';
import type { Checked } from '#contracts';
import { BusSetupError, inspectBroker, toolsQueue, type BrokerState } from '#messaging';
import type { Clock } from '#time';

const SUBJECT = 'broker';
const TOPOLOGY = 'Start a process of each kind: it declares what is missing.';

/** The broker of RABBITMQ_URL: whether it lets us in, and what exists there. */
export async function checkBroker(
  { RABBITMQ_URL: url, TOOLSETS: toolsets }: Environment,
  clock: Clock,
): Promise<Checked[]> {
  if (!url)
    return [{ subject: SUBJECT, level: 'ok', text: 'RABBITMQ_URL is not set: npm start needs no broker' }];
  const names = (toolsets ?? '').split(',').map((name) => name.trim());
  const queues = names.filter((name) => /^[a-z0-9_]+$/.test(name)).map(toolsQueue);
  try {
    return describe(await inspectBroker(url, clock, queues));
  } catch (error) {
    if (!(error instanceof BusSetupError)) throw error;
    const mend = 'Start the broker, or correct RABBITMQ_URL: user, password, host, port, virtual host.';
    return [{ subject: SUBJECT, level: 'error', text: error.message, mend }];
  }
}

function describe({ place, missingExchanges, missingQueues, deadLetters }: BrokerState): Checked[] {
  const missing = [
    ...missingExchanges.map((name) => `the exchange ${name} does not exist`),
    ...missingQueues.map((name) => `the queue ${name} does not exist`),
  ];
  const found: Checked[] = missing.map((text) => ({
    subject: SUBJECT,
    level: 'error',
    text,
    mend: TOPOLOGY,
  }));
  if (deadLetters > 0)
    found.push({
      subject: SUBJECT,
      level: 'warning',
      text: `${deadLetters} messages wait in the dead-letter queue, which is emptied at once otherwise`,
      mend: 'Check that an orchestrator runs and reaches the store.',
    });
  if (found.length > 0) return found;
  return [
    { subject: SUBJECT, level: 'ok', text: `RabbitMQ at ${place} answers, and has every exchange and queue` },
  ];
}
