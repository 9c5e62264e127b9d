import { types } from 'node:util';
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import type { ErrorDetail, ErrorType } from '#contracts';
import { ToolConnectionLostError, ToolError, toPrintable } from '#tools';

const MISSING_CAPABILITY: number = ProtocolErrorCode.MissingRequiredClientCapability;
const INVALID_PARAMS: number = ProtocolErrorCode.InvalidParams;
/** Messages of `fetch` for a request without a response, and for a response that broke off in its body. */
const BROKEN_FETCH = ['fetch failed', 'terminated'];

/** Why we refuse a request of a server, by method. */
const REFUSALS: Record<string, string> = {
  'sampling/createMessage': 'Switchyard does not give MCP servers access to its model (sampling).',
  'roots/list': 'Switchyard shares no folders with MCP servers (roots): name them in the configuration.',
};

/** The method that needs a capability of the client. */
const METHOD_OF_CAPABILITY: Record<string, string> = {
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
};

/** Whether the error says that the connection (or the HTTP session) is gone, so a new one is needed. */
export function isConnectionError(error: unknown): boolean {
  const translated = toToolError(error, 'server');
  return (
    translated instanceof ToolConnectionLostError ||
    (translated instanceof ToolError && translated.detail.error_type === 'DependencyUnavailable')
  );
}

/** Translates an error that the SDK threw during a call into an error of the tool port. */
export function toToolError(error: unknown, server: string): ToolError | ToolConnectionLostError {
  if (error instanceof ToolError || error instanceof ToolConnectionLostError) return error;
  if (error instanceof SdkHttpError) return httpError(error.status, server);
  if (error instanceof SdkError) return sdkError(error, server);
  if (error instanceof ProtocolError) return protocolError(error, server);
  if (wasNeverSent(error)) return unavailable(server);
  // `fetch` may belong to another realm than this code; its errors are then not instances of this realm's Error.
  const said = types.isNativeError(error) ? error.message : '';
  if (BROKEN_FETCH.includes(said)) return connectionLost(server);
  const message = toPrintable(said);
  return toolError('ToolExecutionError', message || `${server} failed without an error message.`);
}

/** `retryAfterMs`: until the next attempt to connect. */
export function unavailable(server: string, retryAfterMs?: number): ToolError {
  return toolError(
    'DependencyUnavailable',
    `The MCP server ${server} is not connected.`,
    retry(retryAfterMs),
  );
}

/** Too many calls in a row got no answer, so calls are refused for a while. */
export function suspended(server: string, retryAfterMs: number): ToolError {
  const message = `The MCP server ${server} did not answer too many calls in a row, so calls to it are paused.`;
  return toolError('DependencyUnavailable', message, retry(retryAfterMs));
}

/** Every process or session that the server may have is busy with other calls. */
export function allBusy(server: string, retryAfterMs: number): ToolError {
  const message = `The MCP server ${server} is busy with other calls.`;
  return toolError('ApiLimitExceeded', message, retry(retryAfterMs));
}

function retry(retryAfterMs: number | undefined): ErrorDetail['error_details'] {
  return retryAfterMs === undefined ? undefined : { retry_after_ms: retryAfterMs };
}

export function cancelled(): ToolError {
  return toolError('Cancelled', 'The call was stopped.', { started: true });
}

function sdkError(error: SdkError, server: string): ToolError | ToolConnectionLostError {
  if (error.code === SdkErrorCode.ConnectionClosed) return connectionLost(server);
  if (error.code === SdkErrorCode.NotConnected) return unavailable(server);
  if (error.code === SdkErrorCode.CapabilityNotSupported) return refused(server, refusedMethod(error));
  const isInvalid = error.code === SdkErrorCode.InvalidResult;
  // The SDK's message about an invalid result lists every detail of the schema.
  const message = isInvalid ? `${server} answered with an invalid result.` : toPrintable(error.message, 500);
  return toolError('ToolExecutionError', message || `${server} failed.`);
}

function protocolError({ code, message, data }: ProtocolError, server: string): ToolError {
  const reason = code === MISSING_CAPABILITY && reasonForMissing(data);
  if (reason) return refused(server, reason);
  const isInvalid = code === INVALID_PARAMS;
  const text = toPrintable(message) || `${server} answered with an error.`;
  return toolError(isInvalid ? 'ValidationError' : 'ToolExecutionError', text);
}

/** The server needed something from us for the call that we do not provide. */
function refused(server: string, reason: string): ToolError {
  return toolError(
    'ToolExecutionError',
    `The MCP server ${server} made a request that was refused: ${reason}`,
  );
}

function refusedMethod({ data, message }: SdkError): string {
  const { method } = (data ?? {}) as { method?: unknown };
  return typeof method === 'string' ? reasonForRefusal(method) : toPrintable(message, 500);
}

function httpError(status: number, server: string): ToolError | ToolConnectionLostError {
  if (status === 401)
    return toolError('AuthenticationError', `The MCP server ${server} rejected the credentials.`);
  if (status === 403) return toolError('PermissionError', `The MCP server ${server} does not allow this.`);
  if (status === 429)
    return toolError('ApiLimitExceeded', `The MCP server ${server} limits the rate of calls.`);
  // 400 and 404: the session is unknown and nothing ran. From 500 on, a proxy may have given up on a running call.
  return status >= 500 && status !== 503 ? connectionLost(server) : unavailable(server);
}

function wasNeverSent(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return (
    error.message === 'Not connected' ||
    code === 'ECONNREFUSED' ||
    code === 'ENOTFOUND' ||
    code === 'EAI_AGAIN'
  );
}

function connectionLost(server: string): ToolConnectionLostError {
  return new ToolConnectionLostError(`The connection to the MCP server ${server} broke during the call.`);
}

function toolError(
  error_type: ErrorType,
  error_message: string,
  error_details?: ErrorDetail['error_details'],
): ToolError {
  return new ToolError({ error_type, error_message, error_details });
}

/** Why a request of a server is refused, in a sentence for the server's author. */
export function reasonForRefusal(method: string): string {
  return REFUSALS[method] ?? `Switchyard does not support ${method}.`;
}

/** The same for servers from 2026-07-28 on, which ask by naming capabilities that we lack. */
export function reasonForMissing(data: unknown): string | undefined {
  const { requiredCapabilities } = (data ?? {}) as { requiredCapabilities?: object };
  const [capability] = Object.keys(requiredCapabilities ?? {});
  const method = capability === undefined ? undefined : METHOD_OF_CAPABILITY[capability];
  return method === undefined ? undefined : reasonForRefusal(method);
}

/** Answers every request of a server that nothing else handles. */
export function refuseRequest({ method }: { method: string }): never {
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, reasonForRefusal(method));
}
