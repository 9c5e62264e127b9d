import {
  decide,
  decideAfterCompeting,
  decideAfterReclaim,
  decideCalls,
  decideDelivery,
  decideLostClaim,
  decideLostConnection,
  decideStop,
  decideStopped,
  decideSweep,
  decideTakeUp,
  decideNotTaken,
  isSettled,
  isSuperseded,
  sendDeadlineOf,
  settleClaim,
} from '#turn';

/** The rules that production decides by: the model has none of its own. A mutant replaces one of them. */
export const PRODUCTION = {
  decide,
  decideCalls,
  decideTakeUp,
  isSuperseded,
  decideStop,
  decideStopped,
  decideSweep,
  isSettled,
  decideAfterCompeting,
  settleClaim,
  decideNotTaken,
  decideDelivery,
  sendDeadlineOf,
  decideLostClaim,
  decideAfterReclaim,
  decideLostConnection,
};

export type Rules = typeof PRODUCTION;
