import type { ConversationEvent, Snapshot } from '#contracts';
import type { BacklogBudget } from './backlog.js';

export type ServerEvent = ConversationEvent | Snapshot;

/**
 * Whether a viewer whose turn is not in its view must look into the journal now: a snapshot has the newest turns only,
 * and of a deleted conversation nothing more is told. An empty one is that of a conversation which begins.
 */
export function mayLack(event: ServerEvent): boolean {
  if (event.type === 'snapshot') return event.view.earlier || event.view.turns.length > 0;
  return event.type === 'cancelled' && event.deleted === true;
}

/** Somebody who reads along: a socket, or a request that waits for what comes of a turn. */
export interface Viewer {
  /** Hands one event over to this viewer alone, in order with what its room is told. */
  send(event: ServerEvent): void;
  /** True while so much waits for this viewer that nothing more should be added. */
  isBehind(): boolean;
  /** Shared by its backlogs. */
  readonly budget: BacklogBudget;
  /** Calls back once, when nothing waits any more. */
  onceDrained(listener: () => void): void;
}

/** The viewers of one conversation who keep up: what they are told is encoded once. */
export interface Room {
  enter(viewer: Viewer): void;
  leave(viewer: Viewer): void;
  broadcast(event: ServerEvent): void;
}

export type OpenRoom = (conversationId: string) => Room;
