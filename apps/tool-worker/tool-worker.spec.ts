import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { decodeMessage, encodeMessage, type Message } from '#contracts';
import { noFaults } from '#faults';
import { LedgerRefusal } from '#ledger';
import type { Bus, PublishOutcome } from '#messaging';
import { createMetrics } from '#observability';
import { createStore } from '#store';
import { defineTool, defineToolset, InputSchemas, type ToolsetHost } from '#tools';
import { SeededRandom, VirtualClock } from '#time/testing';
import { noSwitches, testPeers } from '#journal/testing';
import { InPlaceChecks } from '#tools/testing';
import { ToolWorker } from './tool-worker.js';
import { withStore } from './with-store.js';

const tool = defineTool({
  name: 'go',
  description: 'Goes.',
  input: z.strictObject({}),
  class: 'read',
  timeoutMs: 1_000,
  run: () => Promise.resolve('gone'),
});

/** A toolset whose server comes and goes. */
class Server implements ToolsetHost {
  private readonly offered: ToolsetHost;
  private changed = (): void => undefined;
  private isHere = false;

  constructor(
    readonly name: string,
    private readonly connects = false,
    description = 'Goes.',
  ) {
    const described = { ...tool, definition: { ...tool.definition, description } };
    this.offered = defineToolset({ name, version: '1.0.0', tools: [described] });
  }
  readonly source = 'mcp';
  readonly version = '1.0.0';
  get server() {
    return this.name;
  }
  tools() {
    return this.isHere ? this.offered.tools() : [];
  }
  onChange(listener: () => void) {
    this.changed = listener;
  }
  async start() {
    if (!this.connects) return;
    await settled();
    this.become(true);
  }
  stop() {
    return Promise.resolve();
  }
  become(isHere: boolean) {
    this.isHere = isHere;
    this.changed();
  }
}

let worker: ToolWorker;
let told: Message[];
let errors: object[];
/** Queues that are not consumed until they are let. */
let held: Map<string, () => void>;
let isHeld: boolean;
let connectedAt: number;
let clock: VirtualClock;
let outcome: PublishOutcome;
/** Of every offer. */
let refusal: Error | undefined;

function create(...hosts: ToolsetHost[]): ToolWorker {
  const bus = {
    send: async (_key: string, message: Message) => {
      if (outcome === 'confirmed') told.push(message);
      return outcome;
    },
    isConnected: () => true,
    connectedForMs: () => clock.now() - connectedAt,
  } as unknown as Bus;
  const error = (fields: object) => void errors.push(fields);
  const log = { info: () => undefined, warn: () => undefined, error };
  const deps = {
    store: createStore({ dataDir: ':memory:' }),
    bus,
    processId: 'worker-00000000-0000-4000-8000-000000000001',
    peers: testPeers(),
    switches: noSwitches(),
    log,
    auditLog: log,
    metrics: createMetrics({ collectDefaults: false }),
    hosts,
    slowChecks: new InPlaceChecks(),
    schemas: new InputSchemas(),
    overridesFor: () => ({}),
    clock,
    random: new SeededRandom(2),
    faultPoint: noFaults,
  };
  const parts = withStore(deps);
  const announce = (...offer: Parameters<typeof parts.offers.announce>) =>
    refusal ? Promise.reject(refusal) : parts.offers.announce(...offer);
  worker = new ToolWorker(
    { ...parts, offers: { announce, withdraw: () => parts.offers.withdraw() } },
    async (queue) => {
      await new Promise<void>((resolve) => {
        if (isHeld) held.set(queue, resolve);
        else setImmediate(resolve);
      });
      return { stop: () => Promise.resolve() };
    },
  );
  return worker;
}

const settled = async () => {
  for (let round = 0; round < 20; round++) await new Promise(setImmediate);
};
const offers = () =>
  told
    .filter((message) => message.type === 'catalog.announce')
    .map((message) => message.body.toolsets.map(({ name }) => name));

beforeEach(() => {
  told = [];
  errors = [];
  held = new Map();
  isHeld = false;
  clock = new VirtualClock(new SeededRandom(1));
  connectedAt = clock.now();
  outcome = 'confirmed';
  refusal = undefined;
});
afterEach(() => worker.withdraw());

describe('the announcement of a worker', () => {
  it('has been sent when the worker has started', async () => {
    await create(new Server('late', true)).start();
    expect(offers().at(-1)).toEqual(['late']);
  });

  it('is sent in order of the changes, even if a queue takes long to be consumed', async () => {
    const [slow, quick] = [new Server('slow'), new Server('quick')];
    await create(slow, quick).start();
    quick.become(true);
    await settled();
    isHeld = true;
    slow.become(true);
    await settled();
    slow.become(false);
    await settled();
    held.get('tools.slow')!();
    await settled();
    expect(offers().at(-1)).toEqual(['quick']);
  });

  describe('over time', () => {
    const later = async (ms: number) => {
      await clock.advance(ms);
      await settled();
    };
    beforeEach(async () => {
      await create(new Server('kept', true)).start();
      told = [];
    });

    it('is repeated every 10 s', async () => {
      await later(9_000);
      expect(offers()).toEqual([]);
      await later(1_000);
      expect(offers()).toEqual([['kept'], ['kept'], ['kept']]);
    });

    it('is repeated as soon as the broker is back', async () => {
      expect(worker.isOffered).toBe(true);
      await later(500);
      connectedAt = clock.now();
      expect(worker.isOffered).toBe(false);
      await later(1_000);
      expect(offers()).toHaveLength(3);
      expect(worker.isOffered).toBe(true);
    });

    it('is repeated until the broker has accepted it', async () => {
      outcome = 'unknown';
      await later(12_000);
      expect(worker.isOffered).toBe(false);
      outcome = 'confirmed';
      await later(1_000);
      expect(offers()).toHaveLength(3);
      expect(worker.isOffered).toBe(true);
    });
  });

  it('that the ledger refuses is logged once for each reason, as a sentence without a stack', async () => {
    refusal = new LedgerRefusal('The toolset shop is not in the group lab.');
    await create(new Server('shop', true)).start();
    await clock.advance(5_000);
    await settled();
    expect(errors).toEqual([{ reason: 'The toolset shop is not in the group lab.' }]);
    refusal = new LedgerRefusal('Something else.');
    await clock.advance(1_000);
    await settled();
    expect(errors).toHaveLength(2);
    expect(worker.isOffered).toBe(false);
  });

  it('omits its largest toolsets when together they are too large to be read', async () => {
    const large = (length: number) => 'ü'.repeat(length);
    const servers = [
      new Server('small', true),
      new Server('larger', true, large(300_000)),
      new Server('large', true, large(250_000)),
    ];
    await create(...servers).start();
    expect(offers().at(-1)).toEqual(['small', 'large']);
    expect(errors).toEqual([{ toolsets: ['larger'] }]);
    for (const message of told)
      expect(decodeMessage(encodeMessage(message), 'control')).toMatchObject({ ok: true });
  });

  it('is not repeated after the worker has withdrawn', async () => {
    const server = new Server('held');
    await create(server).start();
    isHeld = true;
    server.become(true);
    await settled();
    await worker.withdraw();
    held.get('tools.held')!();
    await settled();
    expect(told.at(-1)!.type).toBe('catalog.withdraw');
  });
});
