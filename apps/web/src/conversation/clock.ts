import { useSyncExternalStore } from 'react';
import type { Connection } from '../connection/connection.js';
import type { Conversations } from './conversations.js';

const TICK_MS = 200;

/** The server's time as far as it is known. It stops while the page is disconnected. */
export class Clock {
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private nowMs = 0;

  constructor(
    private readonly connection: Connection,
    private readonly conversations: Conversations,
  ) {
    this.tick();
    connection.state.subscribe(() => this.tick());
  }

  readonly now = (): number => this.nowMs;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.tick();
    this.timer ??= setInterval(() => this.tick(), TICK_MS);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  };

  private tick(): void {
    const { phase, heardAt } = this.connection.state.get();
    const localMs = phase === 'connected' ? Date.now() : (heardAt ?? Date.now());
    this.nowMs = Math.round((localMs + this.conversations.serverAheadMs) / TICK_MS) * TICK_MS;
    for (const listener of this.listeners) listener();
  }
}

const never = (): (() => void) => () => {};

/** Renders again as time passes, but only while `isRunning`. */
export function useNow(clock: Clock, isRunning: boolean): number {
  return useSyncExternalStore(isRunning ? clock.subscribe : never, clock.now);
}
