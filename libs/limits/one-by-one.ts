/** Runs what has the same key one after the other, in the order in which it was asked for; other keys do not wait. */
export class OneByOne {
  private readonly lines = new Map<string, Promise<unknown>>();

  /** Keys whose work runs or waits. */
  get size(): number {
    return this.lines.size;
  }

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = (this.lines.get(key) ?? Promise.resolve()).then(work);
    const line = running.catch(() => undefined);
    this.lines.set(key, line);
    void line.then(() => {
      if (this.lines.get(key) === line) this.lines.delete(key);
    });
    return running;
  }
}
