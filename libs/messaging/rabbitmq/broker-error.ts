import { BusSetupError } from '../port/bus-errors.js';

const meanings: Record<string, string> = {
  403: 'refused the user name or password, or the user lacks permission',
  530: 'refused the virtual host',
  ECONNREFUSED: 'is not reachable: nothing listens there',
  ENOTFOUND: 'is not reachable: the host name is unknown',
};

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

export function toSetupError(place: string, error: unknown): BusSetupError {
  if (error instanceof BusSetupError) return error;
  const text = meanings[codeOf(error)]
    ? `${meanings[codeOf(error)]} (${textOf(error)})`
    : `failed: ${textOf(error)}`;
  return new BusSetupError(`RabbitMQ at ${place} ${text}`);
}
