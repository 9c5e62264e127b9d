/** While rows are small, the next portion is twice as large; after large ones it is a single row. */
const SMALL_BYTES = 64 * 1024;
const LARGE_BYTES = 256 * 1024;
const MOST_ROWS = 8;

/** How many rows to read at once when nobody knows how large they are: what is in memory at a time stays small. */
export class Portions {
  private rows = 1;

  /** For the next read. */
  get size(): number {
    return this.rows;
  }

  /** What the last read came to. */
  note(bytes: number): void {
    if (bytes > LARGE_BYTES) this.rows = 1;
    else if (bytes < SMALL_BYTES) this.rows = Math.min(MOST_ROWS, 2 * this.rows);
  }
}

/** As it is sent. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
