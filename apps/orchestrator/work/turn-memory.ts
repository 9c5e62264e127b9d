import type { Answer, Claim, Journal, Outcome, Step } from '#contracts';
import type { Store } from '#store';

/** A driven turn's rows, as far as its driver knows them. Only rows that the store returned are added. */
export class TurnMemory {
  /** The turn was removed with its conversation, so no decision about it would take effect. */
  isGone = false;
  private readonly handed = new Map<string, Outcome>();

  constructor(
    public journal: Journal,
    private readonly store: Store,
  ) {}

  /** Rows never disappear, so rows that arrived during the read stay known. */
  async reread(): Promise<void> {
    this.handed.clear();
    const read = await this.store.readJournal(this.journal.turn._id);
    this.isGone = read === null;
    if (!read) return;
    const { steps, claims, outcomes, answers } = this.journal;
    for (const step of steps) addRow(read.steps, step);
    for (const claim of claims) addRow(read.claims, claim);
    for (const outcome of outcomes) addRow(read.outcomes, outcome);
    for (const answer of answers) addRow(read.answers, answer);
    read.steps.sort((a, b) => a.n - b.n);
    this.journal = read;
  }

  /** A row that the store has returned: it is known as soon as a hint names it. */
  hand(outcome: Outcome): void {
    this.handed.set(outcome._id, outcome);
  }

  /** Reads the rows that the hints name. A result counts only when it is in the store. */
  async readOutcomes(toolCallIds: string[]): Promise<void> {
    const unknown = toolCallIds.filter((id) => !this.journal.outcomes.some((outcome) => outcome._id === id));
    const rows = await Promise.all(
      unknown.map(async (id) => this.handed.get(id) ?? this.store.getOutcome(id)),
    );
    for (const id of toolCallIds) this.handed.delete(id);
    for (const row of rows) if (row) this.addOutcome(row);
  }

  /** True if this row won. Otherwise the winner's row is in the journal, and everything else has been read again. */
  async commit(row: Step): Promise<boolean> {
    const { won, row: stands } = await this.store.commitStep(row);
    if (won) addRow(this.journal.steps, stands);
    else await this.reread();
    return won;
  }

  /** False if it was known. */
  addOutcome(outcome: Outcome): boolean {
    return addRow(this.journal.outcomes, outcome);
  }

  /** False if it was known. */
  addClaim(claim: Claim): boolean {
    return addRow(this.journal.claims, claim);
  }

  /** False if it was known. */
  addAnswer(answer: Answer): boolean {
    return addRow(this.journal.answers, answer);
  }
}

function addRow<T extends { _id: string }>(rows: T[], row: T): boolean {
  if (rows.some((known) => known._id === row._id)) return false;
  rows.push(row);
  return true;
}
