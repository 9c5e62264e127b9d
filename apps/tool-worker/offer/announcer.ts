import type { Message, Toolset } from '#contracts';
import { encodeMessage, MAX_MESSAGE_BYTES, newMessage } from '#contracts';
import type { Timer } from '#time';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';
import { fitAnnouncement } from './fit-announcement.js';
import type { HostedTools } from './hosted-tools.js';

const INTERVAL_MS = 10_000;
/** What the broker did not take, or lost with a connection, waits no longer than this. */
const LOOK_MS = 1_000;
/** Who reads offers: orchestrators pin them, gateways list them, workers count each other. */
const AUDIENCE = ['orchestrator.all', 'gateway.all', 'worker.all'];

/**
 * Tells the fleet what this worker offers: at start, on change, every 10 s, after each reconnect and when asked;
 * withdraws when it leaves.
 */
export class Announcer {
  private timer: Timer | undefined;
  private isWithdrawn = false;
  private telling: Promise<void> = Promise.resolve();
  /** What everybody was told last, by name. */
  private told = '';
  /** When the broker was last given an offer for everybody and took it; monotonic milliseconds. */
  private toldAt: number | undefined;

  constructor(
    private readonly deps: ToolWorkerDeps,
    private readonly hosted: HostedTools,
    /** Called with the current offer before it is told, so that its queues are consumed first. */
    private readonly prepare: (toolsets: Toolset[]) => Promise<void>,
  ) {}

  async start(): Promise<void> {
    for (const host of this.deps.hosts) host.onChange(() => void this.announce());
    await this.announce();
    this.lookLater();
  }

  /** On this connection to the broker. Before, nobody may know of this worker, or all may have forgotten it. */
  get hasTold(): boolean {
    const { bus, clock } = this.deps;
    return this.toldAt !== undefined && bus.connectedForMs() >= clock.now() - this.toldAt;
  }

  /**
   * Tells everybody, or only who asked, one offer after the other, so that the last to be heard is the newest. Resolves
   * when the broker has it. Never rejects: the next announcement is due soon.
   */
  announce(replyTo?: string): Promise<void> {
    this.telling = this.telling.then(() => this.tellOffer(replyTo));
    return this.telling;
  }

  async withdraw(): Promise<void> {
    this.isWithdrawn = true;
    this.timer?.cancel();
    await this.tell(newMessage(this.deps, 'catalog.withdraw', { worker: this.deps.processId }), AUDIENCE);
  }

  private lookLater(): void {
    if (this.isWithdrawn) return;
    this.timer = this.deps.clock.after(LOOK_MS, () => void this.look());
  }

  private async look(): Promise<void> {
    const isDue = !this.hasTold || this.deps.clock.now() - this.toldAt! >= INTERVAL_MS;
    if (isDue && this.deps.bus.isConnected()) await this.announce();
    this.lookLater();
  }

  private async tellOffer(replyTo: string | undefined): Promise<void> {
    if (this.isWithdrawn) return;
    try {
      const room = MAX_MESSAGE_BYTES - encodeMessage(this.messageOf([])).byteLength;
      const { fitting, leftOut } = fitAnnouncement(this.hosted.refresh(), room);
      await this.prepare(fitting);
      if (this.isWithdrawn) return;
      const now = this.deps.clock.now();
      const wasTaken = await this.tell(this.messageOf(fitting), replyTo ? [replyTo] : AUDIENCE);
      if (replyTo) return;
      this.toldAt = wasTaken ? now : undefined;
      if (wasTaken) this.logChange(fitting, leftOut);
    } catch (error) {
      this.deps.log.warn({ err: error }, 'announcing the tools failed');
    }
  }

  private messageOf(toolsets: Toolset[]): Message {
    return newMessage(this.deps, 'catalog.announce', {
      worker: this.deps.processId,
      toolsets,
      servers: this.deps.hosts.map(({ server: name, name: toolset }) => ({ name, toolset })),
    });
  }

  private logChange(fitting: Toolset[], leftOut: Toolset[]): void {
    const [offered, missing] = [fitting, leftOut].map((toolsets) => toolsets.map(({ name }) => name));
    const told = JSON.stringify([offered, missing]);
    if (this.told === told) return;
    this.told = told;
    this.deps.log.info({ toolsets: offered }, 'toolsets offered');
    if (leftOut.length === 0) return;
    const what = 'toolsets not offered, definitions too large for one worker: split them with TOOLSETS';
    this.deps.log.error({ toolsets: missing }, what);
  }

  /** Whether the broker took it for all of them; that nobody hears it, or lets a queue fill up, is as good. */
  private async tell(message: Message, keys: string[]): Promise<boolean> {
    const outcomes = await Promise.all(keys.map((key) => this.deps.bus.send(key, message)));
    return outcomes.every((outcome) => outcome !== 'unknown');
  }
}
