/** Ties a delivery to the channel on which it came. After `lose`, settling the delivery has no effect. */
export class Hold {
  private wasLost = false;
  private controller?: AbortController;

  get isLost(): boolean {
    return this.wasLost;
  }

  /** Created on first access: most deliveries end without anyone reading it. */
  get lost(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.wasLost) this.controller.abort();
    return this.controller.signal;
  }

  lose(): void {
    this.wasLost = true;
    this.controller?.abort();
  }
}
