import 'reflect-metadata';
import type { Message } from '#contracts';
import type { BusContext, BusStrategy } from '#messaging';

type Method = (message: unknown, context: BusContext) => unknown;

/**
 * Registers a controller's message handlers as Nest does, by the patterns that its methods are decorated with; throws
 * when they are not those of the role.
 * `watch` is told of each message, and what it returns is called before its delivery is acknowledged.
 */
export function addHandlers(
  strategy: BusStrategy,
  controller: object,
  watch: (message: Message) => () => void = () => () => undefined,
): void {
  const prototype = Object.getPrototypeOf(controller) as Record<string, Method>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method = prototype[name]!;
    const patterns = Reflect.getMetadata('microservices:pattern', method) as string[] | undefined;
    for (const pattern of patterns ?? [])
      strategy.addHandler(pattern, async (message, context) => {
        const onHandled = watch(message as Message);
        const outcome = await method.call(controller, message, context as BusContext);
        onHandled();
        return outcome;
      });
  }
  strategy.listen((error) => {
    if (error) throw error;
  });
}
