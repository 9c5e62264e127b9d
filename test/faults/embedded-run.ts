import { expect } from '@jest/globals';
import type { Journal } from '#contracts';
import type { FaultPointName } from '#faults';
import { createStore } from '#store';
import { claimsOn, outcomeOf } from '#turn';
import type { Gates } from '../e2e/gates.js';
import { startStandalone } from '../e2e/standalone-process.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { checkRows, checkViews } from './check-conversation.js';
import { PLACES } from './fault-cases.js';
import { WatchedConversation } from './watched-conversation.js';

const READY_MS = 90_000;

/** The one process of a laptop is killed at a point, started again on the same folder, and finishes what was begun. */
export class EmbeddedRun {
  private process!: SwitchyardProcess;
  private conversation!: WatchedConversation;

  constructor(
    private readonly point: FaultPointName,
    private readonly env: Record<string, string> & { DATA_DIR: string },
    private readonly gates: Gates,
  ) {}

  async run(): Promise<void> {
    const { scenario } = PLACES[this.point];
    this.process = await this.start({ SWITCHYARD_FAULT: `${this.point}:kill` });
    try {
      const seats = { ann: this.process, bob: this.process };
      this.conversation = await WatchedConversation.open(seats, this.gates, scenario);
      await this.workUntilKilled();
      await this.startAgain();
      await this.conversation.ended();
      if (scenario === 'stop') expect(await this.conversation.stop()).toEqual([]);
      await checkViews(this.conversation, [this.process]);
      expect(this.process.log).not.toMatch(/"level":"(error|fatal)"/);
      await this.process.kill('SIGTERM');
      await this.checkStore();
    } finally {
      this.conversation?.close();
      await this.process.kill();
    }
  }

  private async start(env: Record<string, string>): Promise<SwitchyardProcess> {
    const process = await startStandalone({ ...this.env, ...env }, { readyTimeoutMs: READY_MS });
    const areOffered = async () => {
      const offered = await (await fetch(`${process.url}/api/tools`)).text();
      return ['acts.hold', 'repeats.hold'].every((name) => offered.includes(name));
    };
    await waitFor(areOffered, { what: 'the tools of the MCP servers', timeoutMs: READY_MS });
    return process;
  }

  private async workUntilKilled(): Promise<void> {
    const { process, conversation } = this;
    const { overHttp } = PLACES[this.point];
    let isKilled = false;
    const killed = process.exit.then((exit) => {
      isKilled = true;
      return exit;
    });
    // Whatever is under way when the process dies stays without an answer.
    this.work(overHttp && process).catch(() => undefined);
    await waitFor(() => isKilled, { what: `death at ${this.point}`, timeoutMs: READY_MS });
    expect(await killed).toMatchObject({ signal: 'SIGKILL' });
    expect(process.log).toContain(`fault ${this.point}:kill strikes`);
    conversation.openGates();
  }

  private async work(overHttp: SwitchyardProcess | undefined): Promise<void> {
    const { conversation } = this;
    await conversation.ask(overHttp);
    if (PLACES[this.point].scenario !== 'stop') return;
    await conversation.waitForCalls();
    await conversation.stop();
  }

  private async startAgain(): Promise<void> {
    const { conversation } = this;
    this.process = await this.start({ PORT: String(this.process.port) });
    await waitFor(() => conversation.ann.socket.connected, { what: 'Ann being back', timeoutMs: READY_MS });
    await conversation.ann.join(conversation.id);
    await conversation.moveBob(this.process);
    await conversation.ask();
    await conversation.askNext();
  }

  private async checkStore(): Promise<void> {
    const { gates, conversation } = this;
    const { scenario } = PLACES[this.point];
    const store = createStore({ dataDir: this.env.DATA_DIR });
    await store.open();
    try {
      await checkRows(conversation, { store, gates, scenario, unknownCalls: callsOfTheDead });
    } finally {
      await store.close();
    }
  }
}

/** Claimed by the process that was killed, and settled by the one after it: nobody knows what the tool did. */
function callsOfTheDead(journal: Journal): string[] {
  const calls = journal.steps.flatMap((step) => step.calls).filter((call) => call.class === 'once');
  const ids = calls.map(({ tool_call_id }) => tool_call_id);
  return ids.filter((id) => {
    const claim = claimsOn(journal, id).at(-1);
    return claim?.purpose === 'run' && claim.owner !== outcomeOf(journal, id)?.worker;
  });
}
