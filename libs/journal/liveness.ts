import type { Journal } from '#contracts';
import { endingStep, holderOf, openCalls, type CallSituation, type Liveness } from '#turn';
import type { Ports } from './ports.js';

/** Which owners of the journal's open calls are dead, asked once, so that deciding itself stays pure. */
export async function livenessOf(
  { peers, me }: Ports,
  journal: Journal,
): Promise<(processId: string) => Liveness> {
  const owners = new Set<string>();
  for (const { call } of openCalls(journal)) {
    const holder = holderOf(journal, call.tool_call_id);
    if (holder?.purpose === 'run' && holder.owner !== me) owners.add(holder.owner);
  }
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
