import { CLAIMS } from './claims.js';
import { DELETE } from './delete.js';
import { DRAIN } from './drain.js';
import { FEEDS } from './feeds.js';
import { LEDGER } from './ledger.js';
import { LIVENESS } from './liveness.js';
import type { Mutant } from './mutant.js';
import { RETRYING_STORE } from './store.js';
import { SWEEPER } from './sweeper.js';
import { TAKE_UP } from './turns.js';

/** By what the mistake is in. */
export const MUTANTS: Record<string, Mutant[]> = {
  liveness: LIVENESS,
  'take-up': TAKE_UP,
  claims: CLAIMS,
  'retrying store': RETRYING_STORE,
  drain: DRAIN,
  feeds: FEEDS,
  sweeper: SWEEPER,
  delete: DELETE,
  ledger: LEDGER,
};
