import {
  ALL_PROCESSES,
  newMessage,
  type Body,
  type LedgerAnswers,
  type Message,
  type Switch,
} from '#contracts';
import type { KnownSwitches, Ports } from '#journal';
import { ledgerQueueName, type WorkerGroup } from '#messaging';
import type { Timer } from '#time';
import { toolsetOf } from '#turn';
import type { Answer, Refused } from './call-verbs.js';

const PULSE_INTERVAL_MS = 2_000;

export interface LedgerMembersOptions {
  ports: Ports;
  groups: readonly WorkerGroup[];
  switches: Pick<KnownSwitches, 'all'>;
  /** Living workers that host the toolset. */
  workersOf(toolset: string): number;
}

/** The part in the fleet of workers without the store: their rows, beats and offers. */
export class LedgerMembers {
  private timer: Timer | undefined;

  constructor(private readonly options: LedgerMembersOptions) {}

  /**
   * Sends this orchestrator's own beats through the queues of the workers' beats: while none of them arrives, a worker's
   * beat that stands still says nothing about the worker.
   */
  start(): void {
    if (this.options.groups.length === 0) return;
    const { clock } = this.options.ports;
    this.timer = clock.every(PULSE_INTERVAL_MS, () => void this.sendPulses().catch(() => undefined), {
      unref: true,
    });
  }

  close(): void {
    this.timer?.cancel();
  }

  async beat(body: Body<'ledger.beat'>, group: WorkerGroup): Promise<Answer> {
    const { worker, number, host, version, started_at, load } = body;
    const { store, clock } = this.options.ports;
    if (number === 0)
      await store.insertProcess({ _id: worker, role: 'worker', host, beat: 0, version, started_at });
    const known = number === 0 ? 'beaten' : await store.beatTo(worker, number, load);
    const toolsets = body.toolsets.filter((toolset) => group.toolsets.includes(toolset));
    const workers = toolsets.map((toolset) => [toolset, this.options.workersOf(toolset)] as const);
    const beat: LedgerAnswers['beat'] = {
      known,
      now: clock.wall(),
      switches: this.options.switches.all.filter((row) => concerns(row, worker, toolsets)),
      workers: Object.fromEntries(workers),
    };
    return { beat };
  }

  async leave({ worker }: Body<'ledger.leave'>): Promise<Answer> {
    const { ports } = this.options;
    await ports.store.removeProcess(worker);
    await this.tellAll(newMessage(ports, 'catalog.withdraw', { worker }));
    return {};
  }

  /** Forwards the offer of a worker. An offer with another group's toolset would withdraw that group's tools. */
  async announce(
    body: Body<'ledger.announce'>,
    { name, toolsets: own }: WorkerGroup,
  ): Promise<Answer | Refused> {
    const { worker, toolsets, servers, reply_to } = body;
    const isOwn = (toolset: string) => own.includes(toolset);
    const foreign = [
      ...toolsets.map((toolset) => toolset.name),
      ...(servers ?? []).map((server) => server.toolset),
      ...toolsets.flatMap(({ tools }) => tools.map((tool) => toolsetOf(tool.name))),
    ].find((toolset) => !isOwn(toolset));
    if (foreign !== undefined) return { refused: `Group ${name} does not host ${foreign}.` };
    const { ports } = this.options;
    const message = newMessage(ports, 'catalog.announce', { worker, toolsets, servers });
    if (reply_to === undefined) await this.tellAll(message);
    else await ports.bus.send(reply_to, message);
    return {};
  }

  async pulse({ orchestrator, beats }: Body<'ledger.pulse'>): Promise<void> {
    await this.options.ports.store.keepLedgerBeats(orchestrator, beats);
  }

  private async sendPulses(): Promise<void> {
    const { groups, ports } = this.options;
    const rows = await ports.store.listProcesses();
    const beats = rows.find(({ _id }) => _id === ports.me)?.ledger_beats ?? {};
    const pulse = ({ name }: WorkerGroup) => {
      const next = { ...beats, [name]: (beats[name] ?? 0) + 1 };
      const message = newMessage(ports, 'ledger.pulse', { orchestrator: ports.me, beats: next });
      return ports.bus.publish(ledgerQueueName(name, 'beats'), message);
    };
    await Promise.all(groups.map(pulse));
  }

  private async tellAll(message: Message): Promise<void> {
    await Promise.all(ALL_PROCESSES.map((key) => this.options.ports.bus.send(key, message)));
  }
}

function concerns({ kind, name }: Switch, worker: string, toolsets: readonly string[]): boolean {
  switch (kind) {
    case 'process':
      return name === worker;
    case 'logs':
      return name === worker || name === 'all';
    case 'toolset':
      return toolsets.includes(name);
    case 'tool':
      return toolsets.includes(toolsetOf(name));
    case 'turns':
      return false;
  }
}
