import type { Turn } from '#contracts';
import type { Clock } from '#time';

/** When the sweeper first checks a turn after its insert, in case its hint was not sent. */
const FIRST_CHECK_MS = 5_000;

/** The row of a new message; the caller that inserts it decides its number. */
export function newTurn(
  clock: Pick<Clock, 'wall'>,
  source: {
    conversationId: string;
    turnId: string;
    userId: string;
    client_message_id: string;
    content: string;
    options?: Turn['options'];
    roles?: string[];
    traceparent?: string;
  },
): Turn {
  const now = clock.wall();
  return {
    _id: source.turnId,
    conversation_id: source.conversationId,
    number: 1,
    user_id: source.userId,
    client_message_id: source.client_message_id,
    content: source.content,
    options: source.options ?? {},
    ...(source.roles && source.roles.length > 0 ? { roles: source.roles } : {}),
    ...(source.traceparent === undefined ? {} : { traceparent: source.traceparent }),
    at: new Date(now).toISOString(),
    status: 'queued',
    due_at: now + FIRST_CHECK_MS,
  };
}
