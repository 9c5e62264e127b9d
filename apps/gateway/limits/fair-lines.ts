/**
 * Waiting lines, one for each network, that take turns: however many wait in one line, every other line is served as
 * often.
 */
export class FairLines<Item> {
  private count = 0;
  /** The first line is the next to give one; then it goes to the end. */
  private readonly lines = new Map<string, Item[]>();

  get size(): number {
    return this.count;
  }

  /** Networks with a non-empty line, the next one first. */
  networks(): Iterable<string> {
    return this.lines.keys();
  }

  add(network: string, item: Item): void {
    const line = this.lines.get(network) ?? [];
    this.lines.set(network, line);
    line.push(item);
    this.count++;
  }

  /** The first one of the next line, without lines that `mayGo` refuses. */
  takeNext(mayGo: (network: string) => boolean = () => true): Item | undefined {
    for (const [network, line] of this.lines) {
      if (!mayGo(network)) continue;
      const next = line.shift();
      this.lines.delete(network);
      if (line.length > 0) this.lines.set(network, line);
      this.count--;
      return next;
    }
    return undefined;
  }

  /** The newest of the longest line; among equally long lines, of the one that was served last. */
  takeSurplus(): { network: string; item: Item } | undefined {
    let longest: { network: string; line: Item[] } | undefined;
    for (const [network, line] of this.lines)
      if (!longest || line.length >= longest.line.length) longest = { network, line };
    const item = longest?.line.at(-1);
    if (!longest || item === undefined) return undefined;
    this.delete(longest.network, item);
    return { network: longest.network, item };
  }

  /** Whether it was there. */
  delete(network: string, item: Item): boolean {
    const line = this.lines.get(network);
    const index = line?.lastIndexOf(item) ?? -1;
    if (!line || index < 0) return false;
    line.splice(index, 1);
    if (line.length === 0) this.lines.delete(network);
    this.count--;
    return true;
  }
}
