import 'reflect-metadata';
import type { BusContext, BusStrategy } from '#messaging';

type Method = (message: unknown, context: BusContext) => unknown;

/** Registers a controller's message handlers as Nest does, by the patterns that its methods are decorated with. */
export function addHandlers(strategy: BusStrategy, controller: object): void {
  const prototype = Object.getPrototypeOf(controller) as Record<string, Method>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method = prototype[name]!;
    const patterns = Reflect.getMetadata('microservices:pattern', method) as string[] | undefined;
    for (const pattern of patterns ?? [])
      strategy.addHandler(pattern, async (message, context) =>
        method.call(controller, message, context as BusContext),
      );
  }
}
