/** The connections of a bus: each is up or down separately. */
export type BusConnection = 'publishing' | 'consuming' | 'events';

/** Told of what a bus had to build again, for metrics. Must not throw. */
export interface BusObserver {
  reconnected(connection: BusConnection): void;
  /** The consumer of a queue runs again on a new channel. */
  consumerRebuilt(queue: string): void;
  /** What a group of workers sent was dropped: it cannot be read, or says to be from another process. */
  requestDropped(why: 'unreadable' | 'foreign'): void;
}

export const silentObserver: BusObserver = {
  reconnected: ignore,
  consumerRebuilt: ignore,
  requestDropped: ignore,
};

function ignore(): void {}
