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
  // Such a password is cut where it must not be: its beginning would count as a port, and be shown.
  if ((parsed.pathname + parsed.search + parsed.hash).includes('@'))
    throw new BusSetupError(
      'RABBITMQ_URL has an @ after its host: write / ? # and @ of a password as %2F %3F %23 and %40',
    );
  const place = `${parsed.host || 'localhost'}${parsed.pathname}`;
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', HEARTBEAT_SECONDS);
  return { href: parsed.href, place };
}
