/** The whole process stands still, as if the machine gave it no time: no timer fires and nothing is read meanwhile. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
