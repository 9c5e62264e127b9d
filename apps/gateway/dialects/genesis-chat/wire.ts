import type { ServerFrame } from './server-frame.js';

/** One socket, as a session uses it. */
export interface Wire {
  /** Resolves when the client has room for more, or is gone. */
  send(frame: ServerFrame): Promise<void>;
  /** Calls back once everything sent has arrived at the client's machine; never if it does not arrive. */
  onceArrived(listener: () => void): void;
  /** Is cut off unless its client shows a sign of life within ten seconds. */
  probe(): void;
  /** The client is told after everything else was sent. */
  close(code: number, reason: string): void;
  /** For a client that does not even read the end of the connection. */
  cutOff(): void;
}
