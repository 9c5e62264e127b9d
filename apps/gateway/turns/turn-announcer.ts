import { turnHint, type Turn } from '#contracts';
import type { FaultPoint } from '#faults';
import type { Bus } from '#messaging';
import type { Logger, Refusals } from '#observability';
import type { Store } from '#store';
import type { Time } from '#time';
import { turnLogFields } from '#tracing';
import type { TurnAdmission } from './turn-admission.js';

export interface TurnAnnouncerDeps extends Time {
  store: Pick<Store, 'setTurnDue'>;
  bus: Pick<Bus, 'emit' | 'publish'>;
  admission: Pick<TurnAdmission, 'mayHint' | 'noteRefusal'>;
  refusals: Pick<Refusals, 'note'>;
  log: Pick<Logger, 'warn'>;
  faultPoint: FaultPoint;
}

/**
 * Tells viewers and orchestrators of a turn that is in the journal. Never rejects: without it the sweeper finds the
 * turn.
 */
export class TurnAnnouncer {
  constructor(private readonly deps: TurnAnnouncerDeps) {}

  /** `unended`: turns of its user, this one not included. */
  async announce(turn: Turn, isNew: boolean, unended: number): Promise<void> {
    const { bus, admission } = this.deps;
    const { _id: turn_id, conversation_id, number, content, client_message_id, user_id, at } = turn;
    if (isNew)
      bus.emit({
        type: 'turn_queued',
        conversation_id,
        turn_id,
        timestamp: at,
        number,
        content,
        client_message_id,
        by: user_id,
      });
    await this.deps.faultPoint('turn_announced');
    if (await admission.mayHint(unended)) await this.hint(turn);
    else await this.markDue(turn);
    await this.deps.faultPoint('turn_hinted');
  }

  private async hint(turn: Turn): Promise<void> {
    const { bus, admission, log } = this.deps;
    const hint = turnHint(this.deps, turn);
    const outcome = await bus.publish('turns', hint).catch((error: unknown) => error);
    if (outcome === 'refused') admission.noteRefusal();
    if (outcome !== 'confirmed')
      log.warn({ ...turnLogFields(turn), outcome }, 'new turn not hinted, the sweeper will find it');
  }

  /** Makes it due now, so that the next sweep finds it. Otherwise it would be found later. */
  private async markDue(turn: Turn): Promise<void> {
    const { store, refusals, log, clock } = this.deps;
    refusals.note('fair_share', { user_id: turn.user_id });
    await store
      .setTurnDue(turn._id, clock.wall())
      .catch((error: unknown) =>
        log.warn({ err: error, ...turnLogFields(turn) }, 'marking a turn as due failed'),
      );
  }
}
