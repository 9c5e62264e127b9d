/**
 * Every place where a crash test can strike, with what has happened there and what has not. There is one for each row
 * of "who dies, and what happens" and for each arrow of commit → publish → ack → claim → effect → settle → hint → ack.
 */
export const FAULT_POINTS = {
  /** Gateway. */
  turn_inserted: 'the turn is in the journal; neither its sender nor an orchestrator knows it',
  turn_announced: 'viewers see the queued turn, its sender on a socket has the answer; no hint is published',
  turn_hinted: 'the hint is published; over HTTP the sender has no answer yet',
  stop_committed: 'the turn has its ending row; open calls are not settled, the stop request has no answer',
  stop_settled: 'every open call is claimed or settled; the stop request has no answer',
  settle_claimed: 'a call can never start; its outcome is only in the claim',

  /** Orchestrator. */
  hint_received: 'a hint is delivered; nothing is read or claimed',
  turn_claimed: 'the turn is claimed; nothing of it is shown',
  token_streamed: 'viewers have the first words of a step; the model is still writing',
  model_answered: 'the step is complete in memory; it is not committed',
  step_committed: 'a step that asks for tools is committed; viewers do not know, no call is published',
  call_published: 'a call is in its queue; its driver has not noted it',
  result_received: 'a hint about an outcome is delivered; the outcome is not read',
  cancel_committed: 'the driver has committed the end of a stopped turn; the gateway has no answer',
  ending_committed: 'the last row is committed; no end is shown, no cache set, the next turn not hinted',
  turn_ended: 'the turn has ended for every process; its hint is not acknowledged',
  sweep_acting: 'the sweeper has found a turn that is due and needs something; it has not acted',

  /** Tool worker. */
  call_received: 'a call is delivered; it is not claimed',
  call_claimed: 'the call is claimed; the tool has not started',
  tool_finished: 'the tool has done its work; the outcome is not stored',
  outcome_inserted: 'the outcome is stored; neither viewers nor the driver know (any process that settles)',
  result_hinted: 'the driver is told; the call is not acknowledged',
} as const;

export type FaultPointName = keyof typeof FAULT_POINTS;

export function isFaultPointName(text: string): text is FaultPointName {
  return Object.hasOwn(FAULT_POINTS, text);
}
