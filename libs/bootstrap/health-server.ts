import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { createNestLogger, HealthModule, type Health, type Logger, type Registry } from '#observability';

export interface HealthServerOptions {
  health: Health;
  registry: Registry;
  port: number;
  host: string;
  logger: Logger;
}

/** The HTTP server of a process that serves no clients: health and metrics only. */
export async function startHealthServer({ health, registry, port, host, logger }: HealthServerOptions) {
  const app = await NestFactory.create(HealthModule.register({ health, registry }), {
    logger: createNestLogger(logger),
    abortOnError: false,
  });
  await app.listen(port, host);
  return { close: () => app.close() };
}
