import type { Journal } from '#contracts';
import { BusUnavailableError } from '#messaging';
import { StoreUnavailableError, type DueTurn } from '#store';
import { turnLogFields } from '#tracing';
import { carryOut, endUnheldTurn, hint, situationOf, type Ports } from '#journal';
import {
  decideSweep,
  endingStep,
  holderOf,
  isSettled,
  parkedCheckMs,
  statusOf,
  type CallDecision,
} from '#turn';
import { forEachLimited } from './for-each-limited.js';
import type { HintedTurn, TurnHints } from './turn-hints.js';

const TURNS_A_ROUND = 200;
/** The number of parked turns in a round that is otherwise full of turns that move. */
const PARKED_A_ROUND = 20;
/** A journal may have many megabytes. */
const TURNS_AT_ONCE = 4;
const NEXT_CHECK_MS = 5_000;
const NEXT_CHECK_PARKED_MS = 30_000;

/** Handles due turns: does what their rows require, and moves `due_at`. */
export class DueTurns {
  constructor(
    private readonly ports: Ports,
    /** Wakes a turn that this process drives; false if it drives no such turn. */
    private readonly wake: (turnId: string) => boolean,
    private readonly hints: TurnHints,
  ) {}

  /** One round: a few turns at a time, with the same reads and writes for all of them, then what each one needs. */
  async sweep(now: number): Promise<void> {
    const due = await this.listDue(now);
    if (due.length === 0) return;
    // Before anything else, so that turns whose journals or handling end this process wait for their next round.
    await this.ports.store.setTurnsDue(
      due.map(({ _id }) => _id),
      now + NEXT_CHECK_MS,
    );
    const undriven: HintedTurn[] = [];
    for (let from = 0; from < due.length; from += TURNS_AT_ONCE)
      await this.sweepSome(due.slice(from, from + TURNS_AT_ONCE), now, undriven);
    const places = new Map(due.map(({ _id }, place) => [_id, place]));
    const placeOf = ({ _id }: HintedTurn) => places.get(_id) ?? due.length;
    await this.hints.send(undriven.sort((a, b) => placeOf(a) - placeOf(b)));
  }

  /**
   * There may be many turns that wait for people, and looking at them achieves nothing, so they get the rest of a
   * round.
   */
  private async listDue(now: number): Promise<DueTurn[]> {
    const { store } = this.ports;
    const moving = await store.listDueTurns(now, TURNS_A_ROUND, 'moving');
    const left = Math.max(PARKED_A_ROUND, TURNS_A_ROUND - moving.length);
    return [...moving, ...(await store.listDueTurns(now, left, 'parked'))];
  }

  private async sweepSome(due: DueTurn[], now: number, undriven: HintedTurn[]): Promise<void> {
    const journals = await this.readAll(due, now);
    await this.moveParked(journals, now);
    await forEachLimited(journals, TURNS_AT_ONCE, (journal) => this.checkTurnSafely(journal, now, undriven));
  }

  /** A turn that cannot be read must not keep the sweeper from the others. */
  private async readAll(due: DueTurn[], now: number): Promise<Journal[]> {
    const { store } = this.ports;
    try {
      return await store.readJournalsOf(due.map((turn) => turn._id));
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
    }
    const journals: Journal[] = [];
    await forEachLimited(due, TURNS_AT_ONCE, (turn) =>
      this.safely(turn, now, async () => {
        const journal = await store.readJournal(turn._id);
        if (journal) journals.push(journal);
      }),
    );
    return journals;
  }

  /** A turn that waits for a person is looked at less often. */
  private async moveParked(journals: Journal[], now: number): Promise<void> {
    const { store } = this.ports;
    const parked = journals.filter((journal) => statusOf(journal) === 'awaiting_input');
    await Promise.all([...byNextCheck(parked, now)].map(([ms, ids]) => store.setTurnsDue(ids, now + ms)));
  }

  private checkTurnSafely(journal: Journal, now: number, undriven: HintedTurn[]): Promise<void> {
    return this.safely(journal.turn, now, () => this.checkTurn(journal, undriven));
  }

  private async safely(
    turn: { _id: string; traceparent?: string },
    now: number,
    look: () => Promise<void>,
  ): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (error instanceof StoreUnavailableError || error instanceof BusUnavailableError) throw error;
      this.ports.log.error({ err: error, ...turnLogFields(turn) }, 'checking a due turn failed');
      await this.ports.store.setTurnDue(turn._id, now + NEXT_CHECK_PARKED_MS);
    }
  }

  private async checkTurn(journal: Journal, undriven: HintedTurn[]): Promise<void> {
    const { turn } = journal;
    const action = decideSweep(journal, await situationOf(this.ports, journal));
    if (action.do === 'finish') {
      await this.ports.faultPoint('sweep_acting');
      return this.finish(journal, action.calls);
    }
    const status = statusOf(journal);
    if (status !== turn.status) {
      await this.ports.store.setTurnStatus(turn._id, status);
      this.ports.observer.repaired('status_corrected');
    }
    if (action.do !== 'wake') return;
    await this.ports.faultPoint('sweep_acting');
    await this.wakeUp(journal, undriven);
  }

  /** An ended turn stays due until each of its calls has an outcome. */
  private async finish(journal: Journal, calls: CallDecision[]): Promise<void> {
    const { ports } = this;
    const { turn } = journal;
    const learned = await Promise.all(calls.map((decision) => carryOut(ports, journal, decision)));
    for (const { outcome } of learned) if (outcome) journal.outcomes.push(outcome);
    const isUnfinished = turn.status !== statusOf(journal);
    if (isUnfinished || calls.length > 0) ports.observer.repaired('turn_finished');
    if (isUnfinished) return endUnheldTurn(ports, journal, endingStep(journal)!);
    if (isSettled(journal)) await ports.store.setTurnDue(turn._id, null);
  }

  private async wakeUp(journal: Journal, undriven: HintedTurn[]): Promise<void> {
    const { _id: turn_id } = journal.turn;
    if (this.wake(turn_id)) return;
    const holder = holderOf(journal, turn_id);
    if (holder && !(await this.ports.peers.isDead(holder.owner)))
      return void (await hint(this.ports, journal));
    if (holder) this.ports.observer.repaired('turn_hinted');
    const { user_id, conversation_id, traceparent } = journal.turn;
    undriven.push({ _id: turn_id, user_id, conversation_id, traceparent });
  }
}

/** In whole steps of 30 s, rounded down, so that one write serves many turns. */
function byNextCheck(parked: Journal[], now: number): Map<number, string[]> {
  const looks = new Map<number, string[]>();
  for (const journal of parked) {
    const lookMs = parkedCheckMs(journal, now);
    const ms = lookMs < NEXT_CHECK_PARKED_MS ? lookMs : lookMs - (lookMs % NEXT_CHECK_PARKED_MS);
    looks.set(ms, [...(looks.get(ms) ?? []), journal.turn._id]);
  }
  return looks;
}
