import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { describe, expect, it } from '@jest/globals';
import { ToolConnectionLostError } from '#tools';
import { limitedFetch } from '../limits/limited-fetch.js';
import { isConnectionError, toToolError } from './mcp-errors.js';

const http = (status: number) => new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'x', { status });
const fetchFailed = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) });

describe('toToolError', () => {
  it.each([
    [http(401), 'AuthenticationError'],
    [http(403), 'PermissionError'],
    [http(429), 'ApiLimitExceeded'],
    [http(404), 'DependencyUnavailable'],
    [http(503), 'DependencyUnavailable'],
    [new SdkError(SdkErrorCode.NotConnected, 'x'), 'DependencyUnavailable'],
    [fetchFailed('ECONNREFUSED'), 'DependencyUnavailable'],
    [new ProtocolError(ProtocolErrorCode.InvalidParams, 'city is missing'), 'ValidationError'],
    [new ProtocolError(ProtocolErrorCode.InternalError, 'boom'), 'ToolExecutionError'],
    [new SdkError(SdkErrorCode.InvalidResult, 'x'), 'ToolExecutionError'],
    ['a string', 'ToolExecutionError'],
  ])('translates %s to %s', (error, type) => {
    expect(toToolError(error, 'weather')).toMatchObject({ detail: { error_type: type } });
  });

  it.each([[new SdkError(SdkErrorCode.ConnectionClosed, 'x')], [http(502)], [fetchFailed('ECONNRESET')]])(
    'makes a connection that broke during the call a lost one, because the tool may have run: %s',
    (error) => {
      expect(toToolError(error, 'weather')).toBeInstanceOf(ToolConnectionLostError);
      expect(isConnectionError(error)).toBe(true);
    },
  );

  it('makes a connection that broke in the middle of the answer a lost one', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"jsonrpc"', () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await limitedFetch(`http://127.0.0.1:${port}/`);
    const error: unknown = await response.json().catch((reason: unknown) => reason);
    server.close();
    expect(toToolError(error, 'weather')).toBeInstanceOf(ToolConnectionLostError);
  });

  it('does not count errors of a tool or of its credentials as connection errors', () => {
    expect(isConnectionError(new ProtocolError(ProtocolErrorCode.InternalError, 'boom'))).toBe(false);
    expect(isConnectionError(http(401))).toBe(false);
  });
});
