import type { LifeEvent } from '../evidence.js';

/**
 * The shortest freeze after which others may count a process as dead: they must have seen its heartbeat unchanged
 * for 8 s, the last one may have been written 2 s before it froze, and on a busy machine the next one takes a second.
 */
const SHORTEST_DEADLY_FREEZE_MS = 5_000;
/** Between two beats a process writes nothing either. */
const BEAT_MS = 2_000;
/** A worker that has not noticed the death of its tools' server yet gives it calls; the machine may stand still meanwhile. */
const LOSS_NOTICED_MS = 5_000;

interface Trouble {
  from: number;
  until: number;
}

/** When each process was dead, or could rightly be taken for it (frozen, cut off from the store), or had lost its tools. */
export class Troubles {
  private readonly byProcess = new Map<string, Trouble[]>();

  constructor(lives: readonly LifeEvent[]) {
    for (const event of lives) {
      if (event.what === 'died' && !event.finished)
        this.add(event.process_id, { from: event.at, until: Infinity });
      if (event.what === 'lost_tools')
        this.add(event.process_id, { from: event.at, until: event.at + LOSS_NOTICED_MS });
    }
    for (const [processId, stretches] of silences(lives))
      for (const { from, until } of stretches)
        if (until - from >= SHORTEST_DEADLY_FREEZE_MS) this.add(processId, { from, until });
  }

  /** True when something of that kind happened to the process between two times. */
  hit(processId: string, from: number, until: number): boolean {
    const troubles = this.byProcess.get(processId) ?? [];
    return troubles.some((trouble) => trouble.from <= until && trouble.until >= from);
  }

  private add(processId: string, trouble: Trouble): void {
    this.byProcess.set(processId, [...(this.byProcess.get(processId) ?? []), trouble]);
  }
}

/** When each process could not beat; what follows within the time of a beat continues the one before. */
function silences(lives: readonly LifeEvent[]): Map<string, Trouble[]> {
  const found = new Map<string, Trouble[]>();
  for (const event of lives) {
    if (event.what !== 'froze' && event.what !== 'cut_off') continue;
    const { process_id, at, until } = event;
    const before = found.get(process_id) ?? [];
    const last = before.at(-1);
    if (last && at <= last.until + BEAT_MS) last.until = Math.max(last.until, until);
    else found.set(process_id, [...before, { from: at, until }]);
  }
  return found;
}
