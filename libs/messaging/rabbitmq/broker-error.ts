import { BusSetupError } from '../port/bus-errors.js';

const meanings: Record<string, string> = {
  403: 'refused the user name or password, or the user lacks permission',
  530: 'refused the virtual host',
  ECONNREFUSED: 'is not reachable: nothing listens there',
  ENOTFOUND: 'is not reachable: the host name is unknown',
};

/** Access refused, not found. */
const REFUSALS = ['403', '404'];

/** The AMQP reply code or the socket error's code. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: string | number } | undefined)?.code;
  if (code !== undefined) return String(code);
  if (!(error instanceof Error)) return '';
  // amqplib reports a failed handshake only in text, and a refused virtual host with this text.
  if (error.message.startsWith('Expected ConnectionOpenOk; got <ConnectionClose')) return '530';
  return /\b(403) \(/.exec(error.message)?.[1] ?? '';
}

export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || codeOf(error);
}

/**
 * For a channel of a worker of a group, which may use only what orchestrators declare for its group: the broker says
 * only that something does not exist, or is refused.
 */
export function explainToGroup(group: string, error: unknown): string {
  const text = textOf(error);
  if (!REFUSALS.includes(codeOf(error))) return text;
  const toolset = /'tools\.([^']+)'/.exec(text)?.[1];
  const isAbsent =
    toolset === undefined
      ? `the group ${group} is not in CONFIG of the orchestrators`
      : `the toolset ${toolset} is not in the group ${group} in CONFIG of the orchestrators`;
  return `${text}: ${isAbsent}, or these credentials belong to another group`;
}

export function toSetupError(place: string, error: unknown): BusSetupError {
  if (error instanceof BusSetupError) return error;
  const text = meanings[codeOf(error)]
    ? `${meanings[codeOf(error)]} (${textOf(error)})`
    : `failed: ${textOf(error)}`;
  return new BusSetupError(`RabbitMQ at ${place} ${text}`);
}
