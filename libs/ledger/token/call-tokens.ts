import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CallTicket } from '#contracts';
import type { Store } from '#store';
import { timestampOf, type Clock } from '#time';

const SECRET_ID = 'ledger-tokens';
const SECRET_BYTES = 32;

/**
 * Tokens of calls: who has one was sent the call. They cover everything by which the ledger decides. All orchestrators
 * and all restarts sign with the secret that the store keeps, made by whoever needs it first.
 */
export class CallTokens {
  private constructor(private readonly secret: string) {}

  static async open(store: Pick<Store, 'keepSecret'>, clock: Pick<Clock, 'wall'>): Promise<CallTokens> {
    const value = randomBytes(SECRET_BYTES).toString('base64url');
    const kept = await store.keepSecret({ _id: SECRET_ID, value, created_at: timestampOf(clock) });
    return new CallTokens(kept.value);
  }

  sign(call: Omit<CallTicket, 'token'>): string {
    return createHmac('sha256', this.secret).update(signedText(call)).digest('hex');
  }

  isValid(ticket: CallTicket): boolean {
    return timingSafeEqual(Buffer.from(ticket.token, 'hex'), Buffer.from(this.sign(ticket), 'hex'));
  }
}

function signedText(call: Omit<CallTicket, 'token'>): string {
  const { tool_call_id, turn_id, conversation_id, n, user_id, tool_name, max_attempts = 0, reply_to } = call;
  return JSON.stringify([
    tool_call_id,
    turn_id,
    conversation_id,
    n,
    user_id,
    tool_name,
    call.class,
    max_attempts,
    reply_to,
  ]);
}
