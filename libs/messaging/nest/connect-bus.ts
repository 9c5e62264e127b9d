import type { DynamicModule, INestApplication, INestMicroservice, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestMicroservice } from '@nestjs/microservices';
import type { BusStrategy } from './bus-strategy.js';
import { OriginalErrorFilter } from './original-error.filter.js';

/** Adds the bus to an application, with the filter that keeps handlers' errors from being lost. */
export function connectBus(app: INestApplication, strategy: BusStrategy): INestMicroservice {
  // Nest binds filters when it registers handlers, so registration waits until the filter exists.
  const microservice = app.connectMicroservice(
    { strategy },
    { deferInitialization: true },
  ) as NestMicroservice;
  microservice.useGlobalFilters(new OriginalErrorFilter());
  microservice.registerListeners();
  microservice.setIsInitialized(true);
  microservice.setIsInitHookCalled(true);
  return microservice;
}

/** An application with the bus and no HTTP, so it needs no adapter for HTTP. Throws `BusSetupError` for wrong handlers. */
export async function startBusApp(
  module: DynamicModule | Type,
  strategy: BusStrategy,
  logger: LoggerService | false,
): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice(module as Type, { strategy, logger, abortOnError: false });
  app.useGlobalFilters(new OriginalErrorFilter());
  await app.listen();
  return app;
}
