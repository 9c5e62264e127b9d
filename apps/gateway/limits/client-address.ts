import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import proxyAddress from 'proxy-addr';

/** The address of the client that sent a request; empty once its connection has gone. */
export type AddressOf = (request: IncomingMessage) => string;

/** For requests that pass Express. */
export const addressOf: (request: Pick<Request, 'ip'>) => string = ({ ip }) => ip ?? '';

/**
 * For requests that do not pass Express, such as handshakes of WebSockets: the same address as Express' `request.ip`, by
 * the same package.
 */
export function createAddressOf(trustedProxies: string[]): AddressOf {
  const isTrusted = proxyAddress.compile(trustedProxies);
  return (request) => proxyAddress(request, isTrusted) ?? '';
}
