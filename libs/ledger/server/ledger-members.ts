import {
  ALL_PROCESSES,
  groupOf,
  newMessage,
  type Body,
  type LedgerAnswers,
  type Message,
  type ProcessLoad,
  type Switch,
} from '#contracts';
import type { KnownSwitches, Ports } from '#journal';
import { OneByOne } from '#limits';
import { ledgerQueueName, type WorkerGroup } from '#messaging';
import type { Timer } from '#time';
import { toolsetOf } from '#turn';
import type { Answer, Refused } from './call-verbs.js';
import { refuseToolset } from './refuse-toolset.js';

const PULSE_INTERVAL_MS = 2_000;
/** Workers of one group that have a row. */
const MAX_MEMBERS = 200;
const REMOVE_INTERVAL_MS = 5_000;

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
  private readonly joining = new OneByOne();
  private removedAt = -Infinity;

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

  async beat(body: Body<'ledger.beat'>, group: WorkerGroup): Promise<Answer | Refused> {
    const { worker, number, load } = body;
    const { store, clock } = this.options.ports;
    // One at a time: together they must not be more than a group may have.
    if (number === 0 && !(await this.joining.run(group.name, () => this.join(body, group))))
      return { refused: `Group ${group.name} has ${MAX_MEMBERS} workers already.` };
    const known = number === 0 ? 'beaten' : await store.beatTo(worker, number, load && loadOf(load, group));
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

  /** False when the group has too many. Each row is read by every process at every beat. */
  private async join(body: Body<'ledger.beat'>, { name }: WorkerGroup): Promise<boolean> {
    const { worker, host, version, started_at } = body;
    const { store } = this.options.ports;
    const own = (await store.listProcesses()).filter(({ _id }) => groupOf(_id) === name);
    if (own.length >= MAX_MEMBERS && !own.some(({ _id }) => _id === worker)) {
      await this.removeDead(own.map(({ _id }) => _id));
      return false;
    }
    await store.insertProcess({ _id: worker, role: 'worker', host, beat: 0, version, started_at });
    return true;
  }

  /** So that a group that is full of dead workers has room soon. */
  private async removeDead(ids: readonly string[]): Promise<void> {
    const { store, peers, clock } = this.options.ports;
    if (clock.now() - this.removedAt < REMOVE_INTERVAL_MS) return;
    this.removedAt = clock.now();
    const isDead = await Promise.all(ids.map((id) => peers.isDead(id)));
    await Promise.all(ids.filter((_, i) => isDead[i]).map((id) => store.removeProcess(id)));
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
    if (foreign !== undefined) return { refused: refuseToolset(foreign, name) };
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

/** What a worker may tell of itself: how its group's toolsets go. */
function loadOf({ draining, toolsets = {} }: ProcessLoad, group: WorkerGroup): ProcessLoad {
  const own = Object.entries(toolsets).filter(([name]) => group.toolsets.includes(name));
  return { ...(draining !== undefined && { draining }), toolsets: Object.fromEntries(own) };
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
