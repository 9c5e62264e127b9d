import { expect } from '@jest/globals';
import type { Journal } from '#contracts';
import { claimsOn } from '#turn';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { checkRows, checkViews } from './check-conversation.js';
import { checkCaches } from './check-turn.js';
import type { FaultCase } from './fault-cases.js';
import { processIdOf, type FaultWorld } from './fault-world.js';
import { WatchedConversation } from './watched-conversation.js';

const TRIES = 6;
const STRUCK_MS = 30_000;
const SWEEP_AGAIN_MS = 200;

/** One process of the kind is armed, gets work until it is struck, and then everything must come right. */
export class CaseRun {
  readonly conversations: WatchedConversation[] = [];
  private armed!: SwitchyardProcess;

  constructor(
    private readonly world: FaultWorld,
    private readonly fault: FaultCase,
  ) {}

  async run(): Promise<void> {
    const { world, fault, conversations } = this;
    this.armed = await world.arm(fault);
    try {
      await this.workUntilStruck();
      await Promise.all(conversations.map((conversation) => this.goOnElsewhere(conversation)));
      await Promise.all(conversations.map((conversation) => conversation.ended()));
      await world.recover(this.armed, fault);
      if (fault.scenario === 'stop') await this.stopAgain();
      for (const conversation of conversations) await checkViews(conversation, world.cluster.gateways);
      await world.retire(this.armed);
      for (const conversation of conversations) await this.checkRows(conversation);
    } finally {
      for (const conversation of conversations) conversation.close();
      if (this.armed.isRunning) await world.cluster.end(this.armed);
    }
  }

  /** Another process of the kind may have been given the work: then there is more. */
  private async workUntilStruck(): Promise<void> {
    const { fault, conversations } = this;
    for (let tries = 0; tries < TRIES && !this.isStruck; tries++) {
      const count = fault.role === 'gateway' ? 1 : 2;
      const round = await Promise.all(Array.from({ length: count }, () => this.open()));
      conversations.push(...round);
      await Promise.all(round.map((conversation) => this.begin(conversation)));
      await waitFor(() => this.isStruck || round.every(({ hasEnded }) => hasEnded), {
        what: `a strike at ${fault.point}`,
        timeoutMs: STRUCK_MS,
      });
    }
    expect({ point: fault.point, isStruck: this.isStruck }).toEqual({ point: fault.point, isStruck: true });
  }

  /** Said by the struck process itself. */
  private get isStruck(): boolean {
    return this.armed.log.includes(`fault ${this.fault.point}:${this.fault.kind} strikes`);
  }

  private open(): Promise<WatchedConversation> {
    const { world, fault, armed } = this;
    const [first] = world.cluster.gateways;
    const bob = fault.role === 'gateway' ? armed : first!;
    return WatchedConversation.open({ ann: first!, bob }, world.gates, fault.scenario);
  }

  private async begin(conversation: WatchedConversation): Promise<void> {
    const { scenario, role, overHttp } = this.fault;
    if (role === 'gateway' && scenario === 'turn') {
      // Its answer may never come.
      void conversation.ask(overHttp && this.armed);
      return;
    }
    await conversation.ask();
    await conversation.askNext();
    if (scenario === 'stop') {
      await conversation.waitForCalls();
      await this.stopUntilStruck(conversation);
    }
    if (scenario === 'sweep') await this.sweepUntilStruck(conversation);
  }

  /** An armed gateway may never answer; another one must have the Stop before Bob leaves it. */
  private async stopUntilStruck(conversation: WatchedConversation): Promise<void> {
    let isAnswered = false;
    void conversation.stop().then((calls) => (isAnswered = calls !== undefined));
    await waitFor(() => isAnswered || (this.fault.role === 'gateway' && this.isStruck), {
      what: 'an answer to Stop, or a strike',
      timeoutMs: STRUCK_MS,
    });
  }

  /** Both orchestrators sweep: the turn is due again and again until the armed one has found it. */
  private async sweepUntilStruck({ once, mainId }: WatchedConversation): Promise<void> {
    const { gates, cluster } = this.world;
    await gates.started(once);
    const isFound = async () => {
      if (!this.isStruck) await cluster.store.setTurnDue(mainId, Date.now());
      return this.isStruck;
    };
    await waitFor(isFound, {
      what: 'the armed sweeper',
      timeoutMs: STRUCK_MS,
      intervalMs: SWEEP_AGAIN_MS,
    });
  }

  /** Bob is at another gateway from now on, and asks again what may not have arrived. */
  private async goOnElsewhere(conversation: WatchedConversation): Promise<void> {
    const { cluster } = this.world;
    await conversation.moveBob(cluster.gateways[1]!);
    if (this.fault.isFoundFirst) await conversation.isFound();
    if (conversation.nextId === '') {
      await conversation.ask();
      await conversation.askNext();
    }
    if (this.fault.scenario === 'sweep') conversation.openGates();
  }

  private async stopAgain(): Promise<void> {
    for (const conversation of this.conversations) expect(await conversation.stop()).toEqual([]);
  }

  private async checkRows(conversation: WatchedConversation): Promise<void> {
    const { world, fault, armed } = this;
    const { store } = world.cluster;
    const { mainId, nextId } = conversation;
    const { scenario } = fault;
    const owner = processIdOf(armed);
    const unknownCalls = (journal: Journal) => (fault.endsUnknown ? onceCallsOf(journal, owner) : []);
    await checkRows(conversation, { store, gates: world.gates, scenario, unknownCalls });
    await checkCaches(store, mainId, scenario === 'stop' ? 'cancelled' : 'completed');
    await checkCaches(store, nextId, 'completed');
  }
}

/** Calls that act once and were claimed by this process. */
function onceCallsOf(journal: Journal, owner: string): string[] {
  const calls = journal.steps.flatMap((step) => step.calls).filter((call) => call.class === 'once');
  const ids = calls.map(({ tool_call_id }) => tool_call_id);
  return ids.filter((id) => claimsOn(journal, id).at(-1)?.owner === owner);
}
