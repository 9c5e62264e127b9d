import type { FleetState } from '#contracts';

/** When the beat of each process was last seen to move; a beat is a counter, so one look says nothing. */
export class Beats {
  private readonly seen = new Map<string, { beat: number; movedMs: number }>();

  add({ at, processes }: Pick<FleetState, 'at' | 'processes'>): void {
    const atMs = Date.parse(at);
    for (const { id, beat } of processes)
      if (this.seen.get(id)?.beat !== beat) this.seen.set(id, { beat, movedMs: atMs });
    const ids = new Set(processes.map(({ id }) => id));
    for (const id of this.seen.keys()) if (!ids.has(id)) this.seen.delete(id);
  }

  /** For how long its beat has stood still while this page looked. */
  stillForMs(processId: string, nowMs: number): number {
    return Math.max(0, nowMs - (this.seen.get(processId)?.movedMs ?? nowMs));
  }
}
