import type { Metrics } from '#observability';
import type { Clock } from '#time';
import { toolsetOf } from '#turn';
import type { TurnDriver } from './turn-driver.js';

/** Reports, at each scrape, what the driven turns do and how long their oldest calls wait for a worker. */
export function measureTurns(
  { turnsDriven, oldestWaitingCall }: Pick<Metrics, 'turnsDriven' | 'oldestWaitingCall'>,
  clock: Pick<Clock, 'wall'>,
  drivers: () => TurnDriver[],
): void {
  turnsDriven.readOnDemand(() => {
    const driven = drivers();
    const asking = driven.filter(({ asksModel }) => asksModel).length;
    turnsDriven.set({ state: 'model' }, asking);
    turnsDriven.set({ state: 'calls' }, driven.length - asking);
  });
  const known = new Set<string>();
  oldestWaitingCall.readOnDemand(() => {
    const now = clock.wall();
    const oldest = new Map<string, number>();
    for (const { tool_name, since } of drivers().flatMap((driver) => driver.waitingCalls)) {
      const toolset = toolsetOf(tool_name);
      known.add(toolset);
      oldest.set(toolset, Math.min(since, oldest.get(toolset) ?? now));
    }
    for (const toolset of known)
      oldestWaitingCall.set({ toolset }, (now - (oldest.get(toolset) ?? now)) / 1_000);
  });
}
