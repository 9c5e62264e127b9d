import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { MongoService } from '../services/mongo.js';
import type { RabbitmqService } from '../services/rabbitmq.js';
import type { Fleet, Kind, Place } from './fleet.js';
import type { Random } from './random.js';

export interface MonkeyOptions {
  fleet: Fleet;
  rabbitmq: RabbitmqService;
  mongo: MongoService;
  random: Random;
  killEveryMs: number;
  /** Share of the run that is over, 0 to 1. */
  progress: () => number;
}

type ServiceName = 'broker' | 'store';
type Strike = () => Promise<void>;

/** Breaks something every few seconds, at random, and repairs it. */
export class Monkey {
  strikes = 0;
  private isDone = false;
  private readonly disturbed = new Set<ServiceName>();
  private readonly repairs = new Set<Promise<void>>();

  constructor(private readonly options: MonkeyOptions) {}

  async work(): Promise<void> {
    const { random, killEveryMs } = this.options;
    while (!this.isDone) {
      await delay(random.between(0.5, 1.5) * killEveryMs);
      if (this.isDone) break;
      const repair = this.strike().catch((error: unknown) => console.error('the monkey failed:', error));
      this.repairs.add(repair);
      void repair.then(() => this.repairs.delete(repair));
    }
  }

  /** Breaks nothing more; resolves when everything is repaired. */
  async stop(): Promise<void> {
    this.isDone = true;
    await Promise.all(this.repairs);
  }

  private strike(): Promise<void> {
    this.strikes++;
    const choices: [weight: number, strike: Strike][] = [
      [45, () => this.kill()],
      [22, () => this.freeze()],
      [7, () => this.drain()],
      [6, () => this.killTools()],
      [8, () => this.closeConnections()],
      [6, () => this.purge()],
      [3, () => this.killKind()],
      [3, () => this.freezeService('broker')],
      [3, () => this.freezeService('store')],
      [1, () => this.restartService('broker')],
      [2, () => this.restartService('store')],
    ];
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let drawn = this.options.random.between(0, total);
    const chosen = choices.find(([weight]) => (drawn -= weight) < 0) ?? choices[0]!;
    return chosen[1]();
  }

  private async kill(): Promise<void> {
    await this.restart(this.pick(), 'kill');
  }

  private async drain(): Promise<void> {
    await this.restart(this.pick(), 'drain');
  }

  private async restart(place: Place | undefined, by: 'kill' | 'drain'): Promise<void> {
    if (!place) return;
    const { fleet, random } = this.options;
    if (place.running) place.running.isBusy = true;
    await fleet.end(place, by);
    await delay(random.between(0, 2_000));
    await fleet.bear(place);
  }

  /** All of a kind at once, the elder too. */
  private async killKind(): Promise<void> {
    const { fleet, random } = this.options;
    const kind = random.pick<Kind>(['gateway', 'orchestrator', 'tool-worker']);
    const idle = fleet.of(kind).filter(({ running }) => running && !running.isBusy);
    await Promise.all(idle.map((place) => this.restart(place, 'kill')));
  }

  private async freeze(): Promise<void> {
    const { fleet, random } = this.options;
    const place = this.pick({ elders: true });
    const member = place?.running;
    if (!place || !member) return;
    member.isBusy = true;
    const at = Date.now();
    member.process.freeze();
    await delay(random.between(1_000, 12_000));
    member.process.thaw();
    member.isBusy = false;
    const { processId: process_id } = member;
    fleet.record({ at, what: 'froze', place: place.name, process_id, until: Date.now() });
  }

  /** Only the server that a worker's tools live in. */
  private async killTools(): Promise<void> {
    const { fleet, random } = this.options;
    const place = this.pick({ elders: true, kinds: ['tool-worker'] });
    const member = place?.running;
    if (!place || !member) return;
    const server = random.pick(childrenOf(member.process.pid));
    if (server === undefined) return;
    fleet.record({ at: Date.now(), what: 'lost_tools', place: place.name, process_id: member.processId });
    tryKill(server);
  }

  /** Of one process, or of all: the broker closes them from its side. */
  private async closeConnections(): Promise<void> {
    const { fleet, rabbitmq, random } = this.options;
    if (this.disturbed.has('broker')) return;
    const all = await rabbitmq.management.listConnections('/');
    const victim = random.chance(0.7) ? this.pick({ elders: true })?.running?.processId : undefined;
    const chosen = all.filter(
      ({ client_properties }) => victim === undefined || JSON.stringify(client_properties).includes(victim),
    );
    fleet.record({
      at: Date.now(),
      what: 'struck',
      place: 'broker',
      how: `closed ${chosen.length} connections`,
    });
    for (const { name } of chosen)
      await rabbitmq.management.request('DELETE', `/api/connections/${encodeURIComponent(name)}`);
  }

  private async purge(): Promise<void> {
    const { fleet, rabbitmq, random } = this.options;
    if (this.disturbed.has('broker')) return;
    // Nobody but its owner may purge an exclusive one.
    const queues = (await rabbitmq.management.listQueues('/')).filter(({ type }) => type === 'quorum');
    if (queues.length === 0) return;
    const queue = random.pick(queues);
    fleet.record({ at: Date.now(), what: 'struck', place: 'broker', how: `purged ${queue.name}` });
    await rabbitmq.management.purgeQueue('/', queue.name);
  }

  private async freezeService(name: ServiceName): Promise<void> {
    const { random } = this.options;
    await this.disturb(name, 'froze', async (service) => {
      service.freeze();
      await delay(random.between(500, 5_000));
      service.thaw();
    });
  }

  /** SIGKILL; what it has acknowledged is on its disk. */
  private async restartService(name: ServiceName): Promise<void> {
    const { random } = this.options;
    await this.disturb(name, 'killed', async (service) => {
      await service.kill();
      await delay(random.between(0, 3_000));
      await service.restart();
    });
  }

  /** One thing at a time happens to a service. */
  private async disturb(
    name: ServiceName,
    how: string,
    act: (service: Pick<MongoService, 'kill' | 'restart' | 'freeze' | 'thaw'>) => Promise<void>,
  ): Promise<void> {
    if (this.disturbed.has(name)) return;
    this.disturbed.add(name);
    const { fleet, rabbitmq, mongo } = this.options;
    fleet.record({ at: Date.now(), what: 'struck', place: name, how });
    await act(name === 'broker' ? rabbitmq : mongo).finally(() => this.disturbed.delete(name));
  }

  /**
   * A process that nobody is busy with. One of each kind, the elder, is spared death, so that its memory can be
   * watched; half way another one takes its place.
   */
  private pick({ elders = false, kinds }: { elders?: boolean; kinds?: Kind[] } = {}): Place | undefined {
    const { fleet, random, progress } = this.options;
    const possible = fleet.places.filter((place) => {
      const isElder = fleet.of(place.kind).indexOf(place) === (progress() < 0.5 ? 0 : 1);
      const isWanted = kinds === undefined || kinds.includes(place.kind);
      return isWanted && place.running && !place.running.isBusy && (elders || !isElder);
    });
    return possible.length > 0 ? random.pick(possible) : undefined;
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
