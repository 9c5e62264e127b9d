import { describe, expect, it } from '@jest/globals';
import { OfferedTools } from '../../../apps/gateway/catalogue/offered-tools.js';
import { CatalogueService } from '../../../apps/orchestrator/catalogue/catalogue.service.js';
import { SmallFleet, type FleetMember } from '../../../libs/bootstrap/testing/small-fleet.js';
import { announcedTool, announcedToolset } from '../../../libs/tools/testing/toolsets.js';

const SEEDS = Array.from({ length: 100 }, (_, index) => index + 1);
const ANNOUNCED_AGAIN_MS = 10_000;
const LOOK_MS = 1_000;
const toolsets = [announcedToolset('math', [announcedTool('math', 'add')])];

/** Workers that announce themselves as production does, to a gateway and an orchestrator that list what there is. */
class OfferingFleet {
  readonly fleet: SmallFleet;
  private readonly audience: { member: FleetMember; announce: (worker: string) => void }[] = [];
  readonly listed: (() => boolean)[] = [];

  constructor(seed: number) {
    this.fleet = new SmallFleet(seed);
  }

  get clock() {
    return this.fleet.clock;
  }

  async startObservers(): Promise<void> {
    const gateway = await this.fleet.start('gateway');
    const offered = new OfferedTools(busOf(gateway), gateway.id, { choice: {} }, timeOf(this.fleet, gateway));
    this.audience.push({ member: gateway, announce: (worker) => offered.announce({ worker, toolsets }) });
    this.listed.push(() => offered.listAll().length > 0);

    const orchestrator = await this.fleet.start('orchestrator');
    const deps = {
      bus: busOf(orchestrator),
      processId: orchestrator.id,
      settings: { providers: [], groups: [] },
      log: { warn: () => {} },
      metrics: { toolDefinitionChanges: { inc: () => {} } },
      store: { listDefinitions: async () => [], insertDefinition: async () => 'inserted' },
      ...timeOf(this.fleet, orchestrator),
    };
    const catalogue = new CatalogueService(deps as never);
    this.audience.push({
      member: orchestrator,
      announce: (worker) => catalogue.announce({ worker, toolsets }),
    });
    this.listed.push(() => catalogue.placesOf('math') > 0);
  }

  async startWorker(): Promise<FleetMember> {
    const worker = await this.fleet.start('worker');
    let toldAt = -Infinity;
    const look = () => {
      const now = worker.clock.now();
      const isTold = now - toldAt < Math.min(ANNOUNCED_AGAIN_MS, worker.connectedForMs());
      if (!worker.isConnected || isTold) return;
      toldAt = now;
      for (const { member, announce } of this.audience)
        if (member.isConnected) member.clock.after(1, () => announce(worker.id));
    };
    look();
    worker.clock.every(LOOK_MS, look);
    await this.clock.runUntil('everybody lists it', () => this.isListed, 2_000);
    return worker;
  }

  get isListed(): boolean {
    return this.listed.every((isListed) => isListed());
  }

  /** Sees the list at every tenth of a second. */
  async neverMissesIt(ms: number): Promise<boolean> {
    for (let passed = 0; passed < ms; passed += 100) {
      await this.clock.advance(100);
      if (!this.isListed) return false;
    }
    return true;
  }
}

const busOf = (member: FleetMember) => ({
  send: () => Promise.resolve('confirmed' as const),
  connectedForMs: () => member.connectedForMs(),
});

const timeOf = ({ random }: SmallFleet, { clock, peers }: FleetMember) => ({ clock, random, peers });

describe('a toolset whose last worker was killed', () => {
  it.each([
    ['old', 40_000],
    ['young', 3_000],
  ])(
    'is withdrawn within 7 s by %s gateways and orchestrators, and returns with the next worker',
    async (_, ageMs) => {
      for (const seed of SEEDS) {
        const world = new OfferingFleet(seed);
        await world.startObservers();
        const worker = await world.startWorker();
        await world.clock.advance(world.fleet.random.float() * ageMs);
        worker.kill();
        const isGone = () => world.listed.every((isListed) => !isListed());
        await world.clock.runUntil(`the toolset is gone (seed ${seed})`, isGone, 7_000);
        await world.startWorker();
        expect(await world.neverMissesIt(2_000)).toBe(true);
      }
    },
  );
});

describe('a toolset with a living worker', () => {
  it('stays listed regardless of broker restarts, even with a slow store', async () => {
    for (const seed of SEEDS) {
      const world = new OfferingFleet(seed);
      await world.startObservers();
      await world.startWorker();
      if (seed % 2 === 0) world.fleet.storeMs = 1_500;
      for (let restart = 0; restart < 4; restart++) {
        world.fleet.restartBroker(10_000);
        const ms = world.fleet.random.float() * 12_000;
        expect({ seed, isListed: await world.neverMissesIt(ms) }).toEqual({ seed, isListed: true });
      }
    }
  });

  it('stays listed while the worker is frozen for less than half a minute and keeps its connection', async () => {
    for (const seed of SEEDS.slice(0, 20)) {
      const world = new OfferingFleet(seed);
      await world.startObservers();
      const worker = await world.startWorker();
      await world.clock.advance(12_000);
      worker.clock.freeze();
      expect(await world.neverMissesIt(15_000)).toBe(true);
      worker.clock.thaw();
      expect(await world.neverMissesIt(5_000)).toBe(true);
    }
  });

  it('returns with its next announcement after it was taken for dead', async () => {
    for (const seed of SEEDS) {
      const world = new OfferingFleet(seed);
      await world.startObservers();
      const worker = await world.startWorker();
      await world.clock.advance(12_000);
      // Frozen and cut off: nothing tells it from one that was killed.
      worker.reconnect(8_000);
      worker.clock.freeze();
      await world.clock.runUntil('it is taken for killed', () => !world.isListed, 8_000);
      await world.clock.advance(world.fleet.random.float() * 10_000);
      worker.clock.thaw();
      await world.clock.runUntil(`it is listed again (seed ${seed})`, () => world.isListed, 10_000);
      expect(await world.neverMissesIt(15_000)).toBe(true);
    }
  });
});
