import { randomUUID } from 'node:crypto';
import { createRabbitmqBus, type Bus, type WorkerGroup } from '#messaging';
import { systemTime } from '#time';

/** Workers of `math` without the store. */
export const GROUP: WorkerGroup = { name: 'bench', toolsets: ['math'] };

export interface OpenBus {
  bus: Bus;
  processId: string;
}

/** @param ignored queues that it does not consume, by the start of their names */
export async function openBus(
  url: string,
  role: 'orchestrator' | 'gateway',
  { groups = [], ignored = [] }: { groups?: readonly WorkerGroup[]; ignored?: readonly string[] } = {},
): Promise<OpenBus> {
  const processId = `${role}-${randomUUID()}`;
  const bus = createRabbitmqBus({ ...systemTime(), url, processId, role, groups });
  await bus.open();
  const consume: Bus['consume'] = (queue, options, handler) => {
    const isIgnored = ignored.some((start) => queue.startsWith(start));
    return isIgnored
      ? Promise.resolve({ stop: () => Promise.resolve() })
      : bus.consume(queue, options, handler);
  };
  return { processId, bus: withMethod(bus, 'consume', consume) };
}

/** The same bus, but for one method. */
export function withMethod<Name extends keyof Bus>(bus: Bus, name: Name, method: Bus[Name]): Bus {
  return new Proxy(bus, {
    get(target, asked) {
      if (asked === name) return method;
      const value: unknown = Reflect.get(target, asked, target);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
