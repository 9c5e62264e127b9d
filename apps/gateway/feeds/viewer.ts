import type { ConversationEvent, Snapshot } from '#contracts';
import type { BacklogBudget } from './backlog.js';

export type ServerEvent = ConversationEvent | Snapshot;

/**
 * Whether a viewer whose turn is not in its view must read the journal now: a snapshot has only the newest turns, and
 * a deleted conversation sends nothing more. An empty snapshot belongs to a conversation that is just beginning.
 */
export function mayLackTurn(event: ServerEvent): boolean {
  if (event.type === 'snapshot') return event.view.earlier || event.view.turns.length > 0;
  return event.type === 'cancelled' && event.deleted === true;
}

/** A reader of a conversation: a socket, or a request that waits for the result of a turn. */
export interface Viewer {
  /** Sends one event to this viewer alone, in order with the events of its room. */
  send(event: ServerEvent): void;
  /** True while too much waits for this viewer to add more. */
  isBehind(): boolean;
  /** Shared by its backlogs. */
  readonly budget: BacklogBudget;
  /** Calls back once, when nothing waits. */
  onceDrained(listener: () => void): void;
}

/** The viewers of one conversation that keep up. Each of their events is encoded once. */
export interface Room {
  enter(viewer: Viewer): void;
  leave(viewer: Viewer): void;
  broadcast(event: ServerEvent): void;
}

export type OpenRoom = (conversationId: string) => Room;
