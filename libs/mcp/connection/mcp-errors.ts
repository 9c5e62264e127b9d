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

/** What `fetch` says of a request without an answer, and of an answer that broke off in its body. */
const BROKEN_FETCH = ['fetch failed', 'terminated'];

/** Why we refuse a request of a server, by method. */
const REFUSALS: Record<string, string> = {
  'sampling/createMessage': 'Switchyard does not lend its model to MCP servers (sampling).',
  'roots/list': 'Switchyard has no folders to show to MCP servers (roots): name them in the configuration.',
};

/** The method that needs a capability of the client. */
const METHOD_OF_CAPABILITY: Record<string, string> = {
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
};

/** Whether the error says that the connection (or the HTTP session) is gone and a new one is needed. */
export function isConnectionError(error: unknown): boolean {
  const translated = toToolError(error, 'server');
  return (
    translated instanceof ToolConnectionLostError ||
    (translated instanceof ToolError && translated.detail.error_type === 'DependencyUnavailable')
  );
}

/** What the SDK threw while a tool was called, in the words of the tool port. */
export function toToolError(error: unknown, server: string): ToolError | ToolConnectionLostError {
  if (error instanceof ToolError || error instanceof ToolConnectionLostError) return error;
  if (error instanceof SdkHttpError) return httpError(error.status, server);
  if (error instanceof SdkError) return sdkError(error, server);
  if (error instanceof ProtocolError) return protocolError(error, server);
  if (wasNeverSent(error)) return unavailable(server);
  // `fetch` may belong to another realm than this code, whose errors are instances of nothing here.
  const said = types.isNativeError(error) ? error.message : '';
  if (BROKEN_FETCH.includes(said)) return connectionLost(server);
  const message = toPrintable(said);
  return toolError('ToolExecutionError', message || `${server} failed without saying why.`);
}

/** `retryAfterMs`: when it is tried again. */
export function unavailable(server: string, retryAfterMs?: number): ToolError {
  return toolError(
    'DependencyUnavailable',
    `The MCP server ${server} is not connected.`,
    retry(retryAfterMs),
  );
}

/** Too many calls in a row got no answer: for a while nobody waits for the next one. */
export function suspended(server: string, retryAfterMs: number): ToolError {
  const message = `The MCP server ${server} left too many calls without an answer: it is not asked for a while.`;
  return toolError('DependencyUnavailable', message, retry(retryAfterMs));
}

/** Every process or session that it may have is busy with other calls. */
export function allBusy(server: string, retryAfterMs: number): ToolError {
  const message = `The MCP server ${server} is busy for others.`;
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
  // What the SDK says about an invalid result lists every detail of the schema.
  const message = isInvalid ? `${server} answered with an invalid result.` : toPrintable(error.message, 500);
  return toolError('ToolExecutionError', message || `${server} failed.`);
}

function protocolError({ code, message, data }: ProtocolError, server: string): ToolError {
  const reason = code === ProtocolErrorCode.MissingRequiredClientCapability && reasonForMissing(data);
  if (reason) return refused(server, reason);
  const isInvalid = code === ProtocolErrorCode.InvalidParams;
  const text = toPrintable(message) || `${server} answered with an error.`;
  return toolError(isInvalid ? 'ValidationError' : 'ToolExecutionError', text);
}

/** It wanted something of us for the call that nobody here gives. */
function refused(server: string, reason: string): ToolError {
  return toolError('ToolExecutionError', `The MCP server ${server} was refused what it asked for: ${reason}`);
}

function refusedMethod({ data, message }: SdkError): string {
  const { method } = (data ?? {}) as { method?: unknown };
  return typeof method === 'string' ? reasonForRefusal(method) : toPrintable(message, 500);
}

function httpError(status: number, server: string): ToolError | ToolConnectionLostError {
  if (status === 401)
    return toolError('AuthenticationError', `The MCP server ${server} wants other credentials.`);
  if (status === 403) return toolError('PermissionError', `The MCP server ${server} does not allow this.`);
  if (status === 429) return toolError('ApiLimitExceeded', `The MCP server ${server} is called too often.`);
  // 400 and 404: the session is unknown, nothing ran. From 500 on a proxy may have given up on a running call.
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

/** Why a request of a server is refused, in a sentence for whoever wrote the server. */
export function reasonForRefusal(method: string): string {
  return REFUSALS[method] ?? `Switchyard does not answer ${method}.`;
}

/** The same for a server that asked, from 2026-07-28 on, by naming capabilities that we lack. */
export function reasonForMissing(data: unknown): string | undefined {
  const { requiredCapabilities } = (data ?? {}) as { requiredCapabilities?: object };
  const [capability] = Object.keys(requiredCapabilities ?? {});
  const method = capability === undefined ? undefined : METHOD_OF_CAPABILITY[capability];
  return method === undefined ? undefined : reasonForRefusal(method);
}

/** The answer to every request of a server that nothing else handles. */
export function refuseRequest({ method }: { method: string }): never {
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, reasonForRefusal(method));
}
