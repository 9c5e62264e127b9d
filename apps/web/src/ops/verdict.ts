import type { FleetState, ListedLetter, ListedToolset } from '#contracts';

/** As the alert on calls that wait too long. */
const TOO_LONG_MS = 20_000;

/** One thing that an operator should look at: a name, and what is wrong with it. No figures that change all the time. */
export interface Need {
  subject: string;
  text: string;
}

export interface Verdict {
  title: string;
  needs: Need[];
}

/** What the whole fleet needs from an operator, as far as its status tells. */
export function verdictOf(
  fleet: Pick<FleetState, 'processes' | 'toolsets' | 'queues'>,
  letters: readonly Pick<ListedLetter, 'replayed_at'>[],
  switches: readonly unknown[] = [],
): Verdict {
  const needs = [
    ...needsOfBroker(fleet),
    ...needsOfProcesses(fleet),
    ...fleet.toolsets.flatMap(needsOfToolset),
    ...needsOfLetters(letters),
  ];
  return { title: titleOf(needs.length, switches.length > 0), needs };
}

/** More calls wait than run at once, and they take too long or do not move at all. */
export function isBehind({ workers, calls = 0, slots, per_second, estimate_ms = 0 }: ListedToolset): boolean {
  return workers > 0 && calls > slots && (per_second === 0 || estimate_ms > TOO_LONG_MS);
}

function needsOfBroker({ queues }: Pick<FleetState, 'queues'>): Need[] {
  const isSilent = queues.turns === undefined && queues.results === undefined;
  return isSilent ? [{ subject: 'the broker', text: 'does not say how many messages wait' }] : [];
}

function needsOfProcesses({ processes }: Pick<FleetState, 'processes'>): Need[] {
  const hasOrchestrator = processes.some(({ role, is_alive }) => role === 'orchestrator' && is_alive);
  const lost = processes.filter(({ is_alive }) => !is_alive);
  return [
    ...(hasOrchestrator ? [] : [{ subject: 'orchestrators', text: 'are missing, so turns wait' }]),
    ...(lost.length === 0
      ? []
      : [{ subject: counted(lost.length, 'process', 'processes'), text: 'stopped beating' }]),
  ];
}

function needsOfToolset(toolset: ListedToolset): Need[] {
  const { name: subject, workers, drift = [] } = toolset;
  if (workers === 0) return [{ subject, text: 'has no worker' }];
  const texts = [
    ...(isBehind(toolset) ? ['falls behind'] : []),
    ...(drift.length > 0 ? ['differs between its workers'] : []),
  ];
  return texts.length === 0 ? [] : [{ subject, text: texts.join(' and ') }];
}

function needsOfLetters(letters: readonly Pick<ListedLetter, 'replayed_at'>[]): Need[] {
  const open = letters.filter(({ replayed_at }) => replayed_at === undefined).length;
  if (open === 0) return [];
  return [{ subject: counted(open, 'message', 'messages'), text: 'could not be delivered' }];
}

const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];

function titleOf(needs: number, isSwitched: boolean): string {
  if (needs === 0)
    return isSwitched ? 'Healthy, apart from what operators have switched' : 'Everything is healthy';
  return `${NUMBERS[needs] ?? needs} ${needs === 1 ? 'thing needs' : 'things need'} you`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
