/** How a process is. Whatever it does passes its `gate`, so that it can stop between any two of its acts. */
export class Life {
  private state: 'running' | 'frozen' | 'dead' = 'running';
  private waiting: (() => void)[] = [];
  /** Virtual ms of its last heartbeat that was written. */
  lastBeatAt = 0;
  /** The longest time that others may have seen its beat stand still. */
  longestSilenceMs = 0;
  /** Others had reason to doubt it: it was killed, frozen, drained, or lost its connection. */
  wasDoubtful = false;
  /** Resolves when the process is dead. */
  readonly ended: Promise<void>;
  private tellEnd: () => void = () => undefined;

  constructor(
    public processId: string,
    private readonly now: () => number,
  ) {
    this.lastBeatAt = now();
    this.ended = new Promise((resolve) => (this.tellEnd = resolve));
  }

  get isRunning(): boolean {
    return this.state === 'running';
  }

  get isDead(): boolean {
    return this.state === 'dead';
  }

  /** Resolves while the process runs; once it is dead, never. */
  gate(): Promise<void> {
    if (this.state === 'running') return Promise.resolve();
    return new Promise((resolve) => {
      if (this.state === 'frozen') this.waiting.push(resolve);
    });
  }

  freeze(): void {
    this.wasDoubtful = true;
    if (this.state === 'running') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  end(): void {
    this.wasDoubtful = true;
    this.state = 'dead';
    this.waiting = [];
    this.tellEnd();
  }

  /** One of its heartbeats has been written. */
  beat(): void {
    this.longestSilenceMs = Math.max(this.longestSilenceMs, this.now() - this.lastBeatAt);
    this.lastBeatAt = this.now();
  }
}
