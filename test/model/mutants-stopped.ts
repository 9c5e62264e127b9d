import type { Claim, Journal } from '#contracts';
import { claimsOn, mayHaveRun, openCalls, type Liveness } from '#turn';
import { rule, slip, type Mutant, type World } from './mutant.js';
import { PRODUCTION } from './rules.js';

/** Of each open call only the newest claim. */
function newestClaims(journal: Journal): Journal {
  const older = new Set<Claim>();
  for (const { call } of openCalls(journal))
    for (const claim of claimsOn(journal, call.tool_call_id).slice(0, -1)) older.add(claim);
  return { ...journal, claims: journal.claims.filter((claim) => !older.has(claim)) };
}

/** Stop after a suspicion that may be wrong: two workers have claimed the call, and one of them may be at it. */
const suspected: World = { toolClass: 'idempotent', suspicion: 'suspect', oneDriver: true };
const UNKNOWN = 'unknown only when no owner can tell the outcome';
const asDead = (liveness: (id: string) => Liveness) => (id: string) =>
  liveness(id) === 'alive' ? ('alive' as const) : ('dead' as const);

export const STOPPED: Mutant[] = [
  rule(
    'a call of a worker that is only suspect given up as unknown',
    {
      decide: (journal, situation) =>
        PRODUCTION.decide(journal, { ...situation, liveness: asDead(situation.liveness) }),
    },
    { user: 'waits', suspicion: 'suspect', deaths: false },
    UNKNOWN,
  ),
  rule(
    'a stopped call: only its newest owner counts',
    {
      decideCalls: (journal, situation) => PRODUCTION.decideCalls(newestClaims(journal), situation),
      decideSweep: (journal, situation) => PRODUCTION.decideSweep(newestClaims(journal), situation),
    },
    suspected,
    UNKNOWN,
  ),
  rule(
    'a stopped call: its last claimer ends it without running it',
    {
      decideStopped: (claims, given) =>
        claims.length > 1 ? { do: 'settle', error: mayHaveRun() } : PRODUCTION.decideStopped(claims, given),
    },
    { ...suspected, deaths: false },
    UNKNOWN,
  ),
  rule(
    'a stopped call: an owner that is suspect counts as dead',
    {
      decideStopped: (claims, { liveness, ...given }) =>
        PRODUCTION.decideStopped(claims, { ...given, liveness: asDead(liveness) }),
    },
    { ...suspected, deaths: false },
    UNKNOWN,
  ),
  rule(
    'a stopped call: no worker says that it has not started it',
    {
      decideStopped: (claims, { stoodBack = [], ...given }) =>
        PRODUCTION.decideStopped(claims, {
          ...given,
          stoodBack: stoodBack.map(({ worker }) => ({ worker, started: true })),
        }),
    },
    { ...suspected, deaths: false },
    UNKNOWN,
  ),
  slip(
    'a stopped call: sent to a worker that does not run it, and forgotten',
    'stood_back_and_forgotten',
    { ...suspected, deaths: false },
    'an end stays reachable',
  ),
];
