/** What a broken invariant means for people, and what to do about it. */
interface Explained {
  means: string;
  mend: string;
}

const REPORT =
  'No release writes this. Keep the rows of the turn and report them; the turn itself can be deleted with its conversation.';
const OLD_PROCESS =
  'Find the process that wrote the row (switchyard turns show): one of another version, or a script that writes to the store.';

/** What the rows of a store must fulfil at every moment (docs/guarantees.md). */
export const INVARIANTS = {
  readable: {
    means: 'A row is not what any version writes, so nothing works that reads it.',
    mend: 'Restore the row from a backup, or delete its conversation. A newer version may have written it: use its command. Undo a switch (switchyard resume), and set it again.',
  },
  steps_in_order: {
    means: 'The steps of the turn are not numbered 1, 2, …: a step was lost, or is from elsewhere.',
    mend: 'Check that the store has lost no acknowledged writes (restore, failover without majority), and restore the step.',
  },
  one_end: { means: 'A step follows the end of the turn: the turn has ended twice.', mend: REPORT },
  calls_end_first: {
    means: 'The model was asked again before a call of an earlier step had ended.',
    mend: REPORT,
  },
  status_of_end: {
    means: 'The turn is listed as ended, but its journal says otherwise, so no process looks at it again.',
    mend: 'Check that the store has lost no acknowledged writes. Set due_at of its row to 0: the sweeper then corrects its status by the journal, and continues it.',
  },
  stays_due: {
    means: 'The turn or one of its calls has not ended, but the sweeper never looks at it again.',
    mend: 'Set due_at of its row to 0: the sweeper then continues it. Its user can also stop it.',
  },
  known_call: {
    means:
      'A claim, an outcome or an answer belongs to no committed call: a tool may have run that no step asks for.',
    mend: `Check that the store has lost no acknowledged writes. ${OLD_PROCESS}`,
  },
  claims_in_order: {
    means: 'The attempts at the turn or call are not numbered 1, 2, …: a claim was lost.',
    mend: 'Check that the store has lost no acknowledged writes: without the claim a tool may start again.',
  },
  settle_is_final: {
    means: 'A call that was decided never to run was claimed again, or has another outcome than was decided.',
    mend: `Check what the tool did. ${OLD_PROCESS}`,
  },
  once_claimed_once: {
    means: 'A tool of class once may have run twice.',
    mend: `Check what the tool did, and undo one of the effects. ${OLD_PROCESS}`,
  },
  attempts_limited: {
    means: 'A call was tried more often than it may be.',
    mend: OLD_PROCESS,
  },
  approved_first: {
    means:
      'A call that needs an approval was started without one, or approved by its user in place of others.',
    mend: `Check what the tool did. ${OLD_PROCESS}`,
  },
  outcome_claimed: {
    means: 'A call has an outcome of an attempt that nobody claimed.',
    mend: `Check that the store has lost no acknowledged writes. ${OLD_PROCESS}`,
  },
  unknown_was_run: {
    means: 'The outcome of a call counts as unknown although no worker had claimed to run it.',
    mend: REPORT,
  },
  one_turn_at_a_time: {
    means: 'The turn was taken up before an earlier turn of its conversation had ended.',
    mend: REPORT,
  },
  turns_in_order: {
    means: 'The turns of the conversation are not numbered 1, 2, …: a turn was lost.',
    mend: 'Check that the store has lost no acknowledged writes, and restore the turn.',
  },
  deleted_is_removed: {
    means: 'The conversation was deleted more than a day ago, and its content is still there.',
    mend: 'Check that an orchestrator is running (switchyard status), and why the turns do not end (switchyard turns show).',
  },
} as const satisfies Record<string, Explained>;

export type Invariant = keyof typeof INVARIANTS;

/** `row`: the id of the row or call that breaks it. */
export interface Broken {
  invariant: Invariant;
  row: string;
}
