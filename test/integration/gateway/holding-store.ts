import { waitFor } from '../../services/wait-for.js';
import type { HarnessOptions } from './gateway-harness.js';

/** A store whose answers to `name` wait until `release` is called; `isAsked` once there is one. */
export function holding(name: string) {
  let wasAsked = false;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const alter: HarnessOptions['alter'] = ({ store }) => ({
    store: new Proxy(store, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        const method = (value as (...args: unknown[]) => unknown).bind(target);
        if (key !== name) return method;
        return (...args: unknown[]) => {
          wasAsked = true;
          return held.then(() => method(...args));
        };
      },
    }),
  });
  const isAsked = () => waitFor(() => wasAsked, { what: `a request that waits for ${name}` });
  return { alter, release, isAsked };
}
