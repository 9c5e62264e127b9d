/** Ties a delivery to the channel it came on. After `lose` nothing that is done with the delivery has an effect. */
export class Hold {
  private wasLost = false;
  private controller?: AbortController;

  get isLost(): boolean {
    return this.wasLost;
  }

  /** Made when somebody asks: most deliveries end without anybody having looked. */
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
