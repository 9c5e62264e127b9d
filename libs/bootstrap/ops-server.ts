import { once } from 'node:events';
import { createServer } from 'node:http';
import { opsRequests, type Health, type Metrics } from '#observability';

/**
 * An HTTP server for operators: health and metrics only. It needs no framework, so a worker without a gateway has none.
 * Throws Node's error if the port cannot be bound.
 */
export async function startOpsServer(
  { health, metrics }: { health: Health; metrics: Pick<Metrics, 'registry'> },
  { port, host }: { port: number; host: string },
): Promise<void> {
  const server = createServer(opsRequests({ health, registry: metrics.registry }));
  server.listen(port, host);
  await once(server, 'listening');
}
