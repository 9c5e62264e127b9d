import { expect } from '@jest/globals';
import { endsTurn } from '#turn';
import { waitFor } from '../services/wait-for.js';
import type { Cluster } from '../e2e/cluster.js';
import type { Gates } from '../e2e/gates.js';
import { numbersTo } from '../e2e/numbers.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import type { Viewer } from '../e2e/viewer.js';

export interface Sent {
  conversation_id: string;
  turn_id: string;
}

/** One at a time: one runs, four are in their worker's hand, the others in the queue. */
const LINE_CALLS = 7;
const LAST_NUMBER = 400;
/** Everybody reconnects with back-off of up to 5 s, and the sweeper looks at each turn every 5 s. */
const RECOVERED_MS = 60_000;

/**
 * Turns of one person that a fault meets in every state: one that streams and one in line behind it, calls that run
 * (`once` and `idempotent`), calls that wait for their turn, and a turn that waits for an orchestrator. Two viewers
 * follow them at two gateways: `ann` all the time, `bob` goes away and comes back.
 */
export class Workload {
  private readonly counting: Sent;
  private readonly lining: Sent;
  private readonly all: Sent[] = [];

  private constructor(
    private readonly cluster: Cluster,
    private readonly gates: Gates,
    private readonly name: string,
    readonly ann: Viewer,
    readonly bob: Viewer,
    turns: { counting: Sent; lining: Sent; others: Sent[] },
  ) {
    this.counting = turns.counting;
    this.lining = turns.lining;
    this.all = [turns.counting, turns.lining, ...turns.others];
  }

  /** Resolves with everything under way: the model in the middle of its text, two tools and one of the line running. */
  static async start(cluster: Cluster, gates: Gates, name: string): Promise<Workload> {
    const [ann, bob] = await Promise.all([cluster.view(), cluster.view(cluster.gateways[1])]);
    const acting = await ann.send(`call acts__hold with {"name":"${name}-act"} then what is 3 + 4?`);
    const repeating = await ann.send(`call repeats__hold with {"name":"${name}-repeat"}`);
    const calls = lineNames(name).map((each) => `call line__hold with {"name":"${each}"}`);
    const lining = await ann.send(calls.join('; '));
    await Promise.all([gates.started(`${name}-act`), gates.started(`${name}-repeat`)]);
    await waitFor(() => startsOf(gates, lineNames(name)) > 0, {
      what: 'a call of the line',
      timeoutMs: 20_000,
    });
    const counting = await ann.send(`count to ${LAST_NUMBER}`);
    const queued = await ann.send('what is 20 + 22?', { conversation_id: counting.conversation_id });
    const waiting = await ann.send('what is 6 * 7?');
    const others = [acting, repeating, queued, waiting];
    const workload = new Workload(cluster, gates, name, ann, bob, { counting, lining, others });
    await workload.joinAll(bob);
    await ann.reads(counting.conversation_id, counting.turn_id, 50);
    return workload;
  }

  /** Lets the tools end. */
  openGates(): void {
    for (const name of [`${this.name}-act`, `${this.name}-repeat`, ...lineNames(this.name)])
      this.gates.open(name);
  }

  /** A turn that has been accepted since; it must end like the others. */
  add(sent: Sent): void {
    this.all.push(sent);
  }

  /** The viewer that went away comes back and is shown everything. */
  async bringBack(): Promise<void> {
    if (!this.bob.socket.connected) this.bob.socket.connect();
    await waitFor(() => this.bob.socket.connected, {
      what: 'the second viewer being back',
      timeoutMs: 20_000,
    });
    await this.joinAll(this.bob);
  }

  /**
   * Each accepted turn has ended once, by completion, within a bounded time; each tool that acts was started once;
   * no outcome is unknown; both viewers hold what a newcomer at either gateway is shown. Then the installation takes
   * the next message.
   */
  async expectAllEnded(): Promise<void> {
    await this.bringBack();
    const { ann, bob, cluster } = this;
    for (const sent of this.all) {
      for (const viewer of [ann, bob]) {
        const turn = await viewer.ended(sent.conversation_id, sent.turn_id, RECOVERED_MS);
        expect(turn.status).toBe('completed');
      }
      await checkTranscript(ann, cluster.gateways[1]!, sent);
      await checkTranscript(bob, cluster.gateways[0]!, sent);
      await this.expectSettled(sent);
    }
    const { conversation_id, turn_id } = this.counting;
    for (const viewer of [ann, bob])
      expect(viewer.text(conversation_id, turn_id)).toBe(numbersTo(LAST_NUMBER));
    this.expectStarts();
    const next = await ann.send('what is 1 + 1?', { conversation_id });
    expect((await ann.ended(next.conversation_id, next.turn_id)).status).toBe('completed');
  }

  private expectStarts(): void {
    expect(this.gates.starts(`${this.name}-act`)).toBe(1);
    expect(this.gates.starts(`${this.name}-repeat`)).toBe(1);
    expect(lineNames(this.name).map((name) => this.gates.starts(name))).toEqual(Array(LINE_CALLS).fill(1));
    const calls = this.ann.turn(this.lining.conversation_id, this.lining.turn_id)?.steps[0]?.calls;
    expect(calls?.map(({ state, result }) => [state, result])).toEqual(
      lineNames(this.name).map((name) => ['succeeded', `held ${name}`]),
    );
  }

  /** In the journal: one end, one outcome for each call, none of them unknown. */
  private async expectSettled({ turn_id }: Sent): Promise<void> {
    const journal = (await this.cluster.store.readJournal(turn_id))!;
    expect(journal.steps.filter((step) => endsTurn(journal.turn.options, step))).toHaveLength(1);
    const calls = journal.steps.flatMap((step) => step.calls.map((call) => call.tool_call_id));
    expect(journal.outcomes.map(({ _id }) => _id).sort()).toEqual([...calls].sort());
    expect(journal.outcomes.map(({ error }) => error)).toEqual(calls.map(() => null));
  }

  private async joinAll(viewer: Viewer): Promise<void> {
    const ids = new Set(this.all.map(({ conversation_id }) => conversation_id));
    await Promise.all([...ids].map((id) => viewer.join(id)));
  }
}

function lineNames(name: string): string[] {
  return Array.from({ length: LINE_CALLS }, (_, index) => `${name}-line${index}`);
}

function startsOf(gates: Gates, names: string[]): number {
  return names.reduce((sum, name) => sum + gates.starts(name), 0);
}
