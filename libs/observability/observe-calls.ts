import { types } from 'node:util';
import type { Clock } from '#time';

/** Called after each finished call of an observed object. */
export type CallObserver = (call: {
  method: string;
  seconds: number;
  outcome: 'ok' | 'error';
  result: unknown;
}) => void;

/**
 * The same object with every method that returns a promise timed; for example
 * `observeCalls(store, clock, ({ method, seconds, outcome }) => metrics.storeLatency.observe({ operation: method, outcome }, seconds))`.
 */
export function observeCalls<T extends object>(
  target: T,
  clock: Pick<Clock, 'now'>,
  observe: CallObserver,
): T {
  const observed = new Map<string | symbol, unknown>();
  return new Proxy(target, {
    get(_target, name) {
      // The receiver is the target, so that private fields of classes stay reachable.
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'constructor') return value;
      if (!observed.has(name))
        observed.set(
          name,
          observeMethod(target, clock, { name: String(name), original: value as AnyMethod, observe }),
        );
      return observed.get(name);
    },
  });
}

type AnyMethod = (...args: unknown[]) => unknown;

interface ObservedMethod {
  name: string;
  original: AnyMethod;
  observe: CallObserver;
}

function observeMethod(
  target: object,
  clock: Pick<Clock, 'now'>,
  { name: method, original, observe }: ObservedMethod,
): AnyMethod {
  return (...args) => {
    const startedAt = clock.now();
    const result = original.apply(target, args);
    if (!types.isPromise(result)) return result;
    const report = (outcome: 'ok' | 'error', value: unknown): void =>
      observe({ method, seconds: (clock.now() - startedAt) / 1000, outcome, result: value });
    return result.then(
      (value: unknown) => {
        report('ok', value);
        return value;
      },
      (error: unknown) => {
        report('error', error);
        throw error;
      },
    );
  };
}
