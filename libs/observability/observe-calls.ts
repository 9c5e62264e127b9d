import { types } from 'node:util';

/** Told of each finished call of an observed object. */
export type CallObserver = (call: {
  method: string;
  seconds: number;
  outcome: 'ok' | 'error';
  result: unknown;
  args: unknown[];
}) => void;

/**
 * The same object with every method that returns a promise timed; for example
 * `observeCalls(store, ({ method, seconds, outcome }) => metrics.storeLatency.observe({ operation: method, outcome }, seconds))`.
 */
export function observeCalls<T extends object>(target: T, observe: CallObserver): T {
  const observed = new Map<string | symbol, unknown>();
  return new Proxy(target, {
    get(_target, name) {
      // The receiver is the target, so that private fields of classes stay reachable.
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'constructor') return value;
      if (!observed.has(name))
        observed.set(name, observeMethod(target, String(name), value as AnyMethod, observe));
      return observed.get(name);
    },
  });
}

type AnyMethod = (...args: unknown[]) => unknown;

function observeMethod(
  target: object,
  method: string,
  original: AnyMethod,
  observe: CallObserver,
): AnyMethod {
  return (...args) => {
    const startedAt = performance.now();
    const result = original.apply(target, args);
    if (!types.isPromise(result)) return result;
    const report = (outcome: 'ok' | 'error', value: unknown): void =>
      observe({ method, seconds: (performance.now() - startedAt) / 1000, outcome, result: value, args });
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
