import 'reflect-metadata';
import type { Message } from '#contracts';
import type { BusContext, BusStrategy } from '#messaging';

type Method = (message: unknown, context: BusContext) => unknown;

/**
 * Registers the message handlers of controllers as Nest does, by the patterns that their methods are decorated with; throws
 * when they are not those of the role.
 * `watch` is told of each message, and what it returns is called before its delivery is acknowledged.
 */
export function addHandlers(
  strategy: BusStrategy,
  controllers: object | readonly object[],
  watch: (message: Message) => () => void = () => () => undefined,
): void {
  for (const controller of [controllers].flat()) addHandlersOf(strategy, controller, watch);
  strategy.listen((error) => {
    if (error) throw error;
  });
}

function addHandlersOf(
  strategy: BusStrategy,
  controller: object,
  watch: (message: Message) => () => void,
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
}
