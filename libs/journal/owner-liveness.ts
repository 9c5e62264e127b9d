import type { Claim, Journal } from '#contracts';
import { claimsOn, endingStep, openCalls, type CallSituation, type Liveness } from '#turn';
import type { Ports } from './ports.js';

/** Finds out once which owners of the journal's open calls are dead, so that deciding itself stays pure. */
export function livenessOf(ports: Ports, journal: Journal): Promise<(processId: string) => Liveness> {
  return livenessOfOwners(
    ports,
    openCalls(journal).flatMap(({ call }) => claimsOn(journal, call.tool_call_id)),
  );
}

/**
 * Finds out which owners of these claims are dead. An owner of an earlier claim may live although a later claim exists.
 */
export async function livenessOfOwners(
  { peers, me }: Ports,
  claims: readonly Claim[],
): Promise<(processId: string) => Liveness> {
  const owners = new Set<string>();
  for (const { purpose, owner } of claims) if (purpose === 'run' && owner !== me) owners.add(owner);
  const dead = new Set<string>();
  const ask = async (owner: string): Promise<void> => {
    if (await peers.isDead(owner)) dead.add(owner);
  };
  await Promise.all([...owners].map(ask));
  return (processId) => (dead.has(processId) ? 'dead' : 'alive');
}

/** What `decideCalls` needs to know about an ended turn. */
export async function situationOf(ports: Ports, journal: Journal): Promise<CallSituation> {
  const end = endingStep(journal);
  const stopped = end !== undefined && end.kind !== 'model';
  return { stopped, now: ports.clock.wall(), me: ports.me, liveness: await livenessOf(ports, journal) };
}
