import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { createNestLogger, HealthModule, type Health, type Logger, type Metrics } from '#observability';

export interface OpsServerOptions {
  health: Health;
  metrics: Pick<Metrics, 'registry'>;
  logger: Logger;
}

/** An HTTP server for operators: health and metrics only. Throws Node's error if the port cannot be bound. */
export async function startOpsServer(
  { health, metrics, logger }: OpsServerOptions,
  { port, host }: { port: number; host: string },
): Promise<void> {
  const app = await NestFactory.create(HealthModule.register({ health, registry: metrics.registry }), {
    logger: createNestLogger(logger),
    abortOnError: false,
  });
  await app.listen(port, host);
}
