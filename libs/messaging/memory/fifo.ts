/** First in, first out, without moving what remains; `putBack` goes before everything else. */
export class Fifo<T> {
  private readonly front: T[] = [];
  private items: T[] = [];
  private head = 0;

  get length(): number {
    return this.front.length + this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  putBack(item: T): void {
    this.front.push(item);
  }

  shift(): T | undefined {
    if (this.front.length > 0) return this.front.pop();
    if (this.head === this.items.length) return undefined;
    const item = this.items[this.head++];
    if (this.head === this.items.length) this.drop();
    else if (this.head > 1024 && this.head * 2 > this.items.length) this.drop();
    return item;
  }

  private drop(): void {
    this.items = this.items.slice(this.head);
    this.head = 0;
  }
}
