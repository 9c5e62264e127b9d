import type { ServerFrame } from './server-frame.js';

/** One socket, as a session uses it. */
export interface Wire {
  /** Resolves when the client has room for more, or is gone. */
  send(frame: ServerFrame): Promise<void>;
  /** Calls back once everything that was sent has arrived at the client's machine; never if it does not. */
  onceArrived(listener: () => void): void;
  /** Is cut off unless its client shows a sign of life within ten seconds. */
  probe(): void;
  /** The client is told, after all that was sent. */
  close(code: number, reason: string): void;
  /** For who does not even take the end of the connection. */
  cutOff(): void;
}

export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Also resolves, at once, when `signal` is aborted. */
  until(time: number, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  now: () => performance.now(),
  until: async (time, signal) => {
    for (let left = time - performance.now(); left > 0; left = time - performance.now()) {
      if (signal?.aborted) return;
      await waitFor(Math.ceil(left), signal);
    }
  },
};

function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms).unref();
    signal?.addEventListener('abort', done, { once: true });
  });
}
