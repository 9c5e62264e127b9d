import { BusSetupError } from '../port/bus-errors.js';

/** In seconds; a dead peer is noticed after two to three heartbeats. */
const HEARTBEAT_SECONDS = '10';

export interface BrokerUrl {
  /** For amqplib. Contains credentials: never show it. */
  href: string;
  /** `host:port/vhost`, for people. */
  place: string;
}

/** Throws a `BusSetupError` that does not repeat the URL. */
export function parseBrokerUrl(url: string): BrokerUrl {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['amqp:', 'amqps:'].includes(parsed.protocol)) {
    throw new BusSetupError('RABBITMQ_URL must look like amqp://user:password@host:5672/vhost');
  }
  const place = `${parsed.host || 'localhost'}${parsed.pathname}`;
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', HEARTBEAT_SECONDS);
  return { href: parsed.href, place };
}
