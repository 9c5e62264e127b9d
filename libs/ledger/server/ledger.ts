import type { CallTicket, LedgerRequestType, Message } from '#contracts';
import type { KnownSwitches, Ports } from '#journal';
import type { WorkerGroup } from '#messaging';
import { toolsetOf } from '#turn';
import { CallTokens } from '../token/call-tokens.js';
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
  metrics: LedgerMetrics;
}

/** This orchestrator's part in what groups of workers without the store need. */
export class Ledger {
  private readonly server: LedgerServer;
  private readonly members: LedgerMembers;
  private readonly toolsets: ReadonlySet<string>;

  private constructor(
    options: LedgerOptions,
    private readonly tokens: CallTokens,
  ) {
    this.toolsets = new Set(options.groups.flatMap(({ toolsets }) => toolsets));
    this.members = new LedgerMembers(options);
    this.server = new LedgerServer({ ...options, tokens, members: this.members });
  }

  static async open(options: LedgerOptions): Promise<Ledger> {
    const { store, clock } = options.ports;
    const ledger = new Ledger(options, await CallTokens.open(store, clock));
    ledger.members.start();
    return ledger;
  }

  /** Of a call that is about to be sent; undefined when no group has its toolset. */
  tokenOf(call: Omit<CallTicket, 'token'>): string | undefined {
    return this.toolsets.has(toolsetOf(call.tool_name)) ? this.tokens.sign(call) : undefined;
  }

  /** Never rejects. */
  serve(message: Message<LedgerRequestType>): Promise<void> {
    return this.server.serve(message);
  }

  close(): void {
    this.members.close();
  }
}
