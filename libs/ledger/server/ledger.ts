import type { CallTicket, LedgerRequestType, Message, Outcome } from '#contracts';
import type { KnownSwitches, Ports } from '#journal';
import type { WorkerGroup } from '#messaging';
import { toolsetOf, type HeldCall } from '#turn';
import { CallTokens } from '../token/call-tokens.js';
import { LedgerCalls } from './ledger-calls.js';
import { LedgerMembers } from './ledger-members.js';
import { LedgerServer, type LedgerMetrics } from './ledger-server.js';

export interface LedgerOptions {
  /** Whose store and bus serve the workers. */
  ports: Ports;
  groups: readonly WorkerGroup[];
  switches: KnownSwitches;
  /** Living workers that host the toolset. */
  workersOf(toolset: string): number;
  /** Bytes of the text of a tool's result; undefined: 32 KiB. */
  outputBytesOf(toolName: string): number | undefined;
  /** A call has ended, as the store has it; its driver is told afterwards. */
  onSettled(stored: Outcome): void;
  metrics: LedgerMetrics;
}

/** This orchestrator's part in what groups of workers without the store need. */
export class Ledger {
  private readonly server: LedgerServer;
  private readonly members: LedgerMembers;
  private readonly toolsets: ReadonlySet<string>;
  private readonly calls: LedgerCalls;

  private constructor(
    options: LedgerOptions,
    private readonly tokens: CallTokens,
  ) {
    this.toolsets = new Set(options.groups.flatMap(({ toolsets }) => toolsets));
    this.members = new LedgerMembers(options);
    this.calls = new LedgerCalls(options.ports.store);
    this.server = new LedgerServer({ ...options, tokens, calls: this.calls, members: this.members });
  }

  static async open(options: LedgerOptions): Promise<Ledger> {
    const { store, clock } = options.ports;
    const ledger = new Ledger(options, await CallTokens.open(store, clock));
    ledger.members.start();
    return ledger;
  }

  /**
   * Of a call that is about to be sent; undefined when no group has its toolset.
   *
   * @param call absent: it is read when its worker asks
   */
  tokenOf(ticket: Omit<CallTicket, 'token'>, call?: HeldCall): string | undefined {
    if (!this.toolsets.has(toolsetOf(ticket.tool_name))) return undefined;
    if (call) this.calls.note(ticket, call);
    return this.tokens.sign(ticket);
  }

  /** Never rejects. */
  serve(message: Message<LedgerRequestType>): Promise<void> {
    return this.server.serve(message);
  }

  close(): void {
    this.members.close();
  }
}
