/** A set of at most `capacity` texts; the oldest leaves first. */
export class BoundedSet {
  private readonly items = new Set<string>();

  constructor(private readonly capacity: number) {}

  has(item: string): boolean {
    return this.items.has(item);
  }

  add(item: string): void {
    this.items.add(item);
    const [oldest] = this.items;
    if (this.items.size > this.capacity && oldest !== undefined) this.items.delete(oldest);
  }
}
