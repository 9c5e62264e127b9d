import { getEventListeners } from 'node:events';

/**
 * Node keeps a signal that is made of others, and all that listens to it, until it aborts. Those of a killed process
 * never do: without this every world stays in memory after its end.
 */
export class CompositeSignals {
  private readonly made: AbortSignal[] = [];
  private readonly any = AbortSignal.any;

  /** From now on it knows of all that are made. One world at a time. */
  watch(): void {
    const { any, made } = this;
    AbortSignal.any = (signals) => {
      const signal = any.call(AbortSignal, signals);
      made.push(signal);
      return signal;
    };
  }

  /** Nobody listens to them any more. */
  release(): void {
    AbortSignal.any = this.any;
    for (const signal of this.made.splice(0))
      for (const listener of getEventListeners(signal, 'abort')) {
        signal.removeEventListener('abort', listener as () => void);
      }
  }
}
