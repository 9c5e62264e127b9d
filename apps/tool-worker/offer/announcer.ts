import type { Message, Toolset } from '#contracts';
import { encodeMessage, MAX_MESSAGE_BYTES, newMessage } from '#contracts';
import { LedgerRefusal } from '#ledger';
import type { Timer } from '#time';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';
import { fitAnnouncement } from './fit-announcement.js';
import type { HostedTools } from './hosted-tools.js';

const INTERVAL_MS = 10_000;
/** A worker without the store asks for its announcement: its message has a little more. */
const REQUEST_BYTES = 512;
/** An announcement that the broker refused, or lost with a connection, is repeated within this time. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Announces to the fleet what this worker offers: at start, on change, every 10 s, after each reconnect and on
 * request. Orchestrators pin offers, gateways list them, workers count each other. Withdraws the offer when the worker
 * leaves.
 */
export class Announcer {
  private timer: Timer | undefined;
  private isWithdrawn = false;
  private sending: Promise<void> = Promise.resolve();
  /** The last announcement to all processes, by name, or why it was refused. */
  private lastLogged = '';
  /** When the broker last accepted an offer to all processes; monotonic milliseconds. */
  private sentAt: number | undefined;

  constructor(
    private readonly deps: ToolWorkerDeps,
    private readonly hosted: HostedTools,
    /** False: it offers nothing for now, although it has tools. */
    private readonly mayOffer: () => boolean,
    /** Called with the current offer before it is announced, so that its queues are consumed first. */
    private readonly prepare: (toolsets: Toolset[]) => Promise<void>,
  ) {}

  async start(): Promise<void> {
    for (const host of this.deps.hosts) host.onChange(() => void this.announce());
    await this.announce();
    this.scheduleCheck();
  }

  /** On this connection to the broker. Before that, other processes may not know this worker, or no longer. */
  get hasSent(): boolean {
    const { bus, clock } = this.deps;
    return this.sentAt !== undefined && bus.connectedForMs() >= clock.now() - this.sentAt;
  }

  /**
   * Sends the offer to all processes, or only to the one that asked. Offers go out one after the other, so that the
   * last one received is the newest. Resolves when the broker has it. Never rejects: the next announcement is due soon.
   */
  announce(replyTo?: string): Promise<void> {
    this.sending = this.sending.then(() => this.sendOffer(replyTo));
    return this.sending;
  }

  async withdraw(): Promise<void> {
    this.isWithdrawn = true;
    this.timer?.cancel();
    await this.deps.offers.withdraw();
  }

  private scheduleCheck(): void {
    if (this.isWithdrawn) return;
    this.timer = this.deps.clock.after(CHECK_INTERVAL_MS, () => void this.check());
  }

  private async check(): Promise<void> {
    const isDue = !this.hasSent || this.deps.clock.now() - this.sentAt! >= INTERVAL_MS;
    if (isDue && this.deps.bus.isConnected()) await this.announce();
    this.scheduleCheck();
  }

  private async sendOffer(replyTo: string | undefined): Promise<void> {
    if (this.isWithdrawn) return;
    try {
      const room = MAX_MESSAGE_BYTES - REQUEST_BYTES - encodeMessage(this.messageOf([])).byteLength;
      const { fitting, leftOut } = fitAnnouncement(this.mayOffer() ? this.hosted.refresh() : [], room);
      await this.prepare(fitting);
      if (this.isWithdrawn) return;
      const now = this.deps.clock.now();
      const wasTaken = await this.deps.offers.announce(this.offerOf(fitting), replyTo);
      if (replyTo) return;
      this.sentAt = wasTaken ? now : undefined;
      if (wasTaken) this.logChange(fitting, leftOut);
    } catch (error) {
      if (error instanceof LedgerRefusal) this.logRefusal(error.message);
      else this.deps.log.warn({ err: error }, 'announcing the tools failed');
    }
  }

  /** The offer is repeated every second, and refused until somebody changes the group or the worker. */
  private logRefusal(reason: string): void {
    if (this.lastLogged === reason) return;
    this.lastLogged = reason;
    this.deps.log.error({ reason }, 'toolsets not offered, the orchestrators refuse them');
  }

  private messageOf(toolsets: Toolset[]): Message {
    const worker = this.deps.processId;
    return newMessage(this.deps, 'catalog.announce', { worker, ...this.offerOf(toolsets) });
  }

  private offerOf(toolsets: Toolset[]) {
    const servers = this.deps.hosts.map(({ server: name, name: toolset }) => ({ name, toolset }));
    return { toolsets, servers };
  }

  private logChange(fitting: Toolset[], leftOut: Toolset[]): void {
    const [offered, missing] = [fitting, leftOut].map((toolsets) => toolsets.map(({ name }) => name));
    const told = JSON.stringify([offered, missing]);
    if (this.lastLogged === told) return;
    this.lastLogged = told;
    this.deps.log.info({ toolsets: offered }, 'toolsets offered');
    if (leftOut.length === 0) return;
    const what = 'toolsets not offered, definitions too large for one worker: split them with TOOLSETS';
    this.deps.log.error({ toolsets: missing }, what);
  }
}
