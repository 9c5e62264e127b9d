import { isWithinDepth, MAX_DEPTH, MAX_MESSAGE_BYTES, type ErrorDetail } from '#contracts';
import { refuseArguments } from '#tools';

/** Bytes of a `tool.call` besides its arguments and its user: ids, names, times. */
const ENVELOPE_BYTES = 4 * 1024;
/** `body` and the message around it. */
const ENVELOPE_DEPTH = 2;

/**
 * The reason why no worker could accept a call with these arguments: its message would be dead-lettered. Checked before
 * the step is committed.
 */
export function refuseUnsendable(args: Record<string, unknown>, userId: string): ErrorDetail | undefined {
  const levels = MAX_DEPTH - ENVELOPE_DEPTH;
  if (!isWithinDepth(args, levels)) return refuseArguments(`The arguments nest more than ${levels} levels.`);
  const limit = MAX_MESSAGE_BYTES - ENVELOPE_BYTES - Buffer.byteLength(JSON.stringify(userId));
  const size = Buffer.byteLength(JSON.stringify(args));
  if (size <= limit) return undefined;
  return refuseArguments(
    `The arguments take ${size} bytes as JSON; a call takes at most ${limit}. Send less, or split it into several calls.`,
  );
}
