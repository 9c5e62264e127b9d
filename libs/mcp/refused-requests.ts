import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';

const REASONS: Record<string, string> = {
  'sampling/createMessage': 'Switchyard does not lend its model to MCP servers (sampling).',
  'roots/list': 'Switchyard has no folders to show to MCP servers (roots): name them in the configuration.',
};

/** Why a request of a server is refused, in a sentence for whoever wrote the server. */
export function reasonForRefusal(method: string): string {
  return REASONS[method] ?? `Switchyard does not answer ${method}.`;
}

const METHODS: Record<string, string> = {
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
};

/** The same for a server that asked, from 2026-07-28 on, by naming capabilities that we lack. */
export function reasonForMissing(data: unknown): string | undefined {
  const { requiredCapabilities } = (data ?? {}) as { requiredCapabilities?: object };
  const [capability] = Object.keys(requiredCapabilities ?? {});
  const method = capability === undefined ? undefined : METHODS[capability];
  return method === undefined ? undefined : reasonForRefusal(method);
}

/** The answer to every request of a server that nothing else handles. */
export function refuseRequest({ method }: { method: string }): never {
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, reasonForRefusal(method));
}
