import type { Store } from '#store';

/**
 * Clocks the store's answers: the commit of a step with calls, and the outcome that the driver reads, or gets from the
 * ledger in its own process.
 */
export class CallWatch {
  lastMs = NaN;
  private committedAt = NaN;

  observe(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const method = (value as (...args: unknown[]) => unknown).bind(target);
        if (name === 'commitStep')
          return this.after(method, () => (this.committedAt = performance.now()), hasCalls);
        if (name === 'getOutcome' || name === 'settle')
          return this.after(method, () => (this.lastMs = performance.now() - this.committedAt), Boolean);
        return method;
      },
    });
  }

  private after(
    method: (...args: unknown[]) => unknown,
    note: () => void,
    isMeant: (result: unknown) => boolean,
  ) {
    return async (...args: unknown[]) => {
      const result = await method(...args);
      if (isMeant(result)) note();
      return result;
    };
  }
}

function hasCalls(result: unknown): boolean {
  return (result as { row: { calls: unknown[] } }).row.calls.length > 0;
}
