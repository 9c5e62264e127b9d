import { expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { testSettings } from '../testing/test-settings.js';
import { CatalogueService } from './catalogue.service.js';

it('CatalogueService receives the answers to a roll call although its process stalled for longer than the roll call', async () => {
  const definition = {
    input_schema: { type: 'object' },
    class: 'read' as const,
    timeout_ms: 1_000,
    hash: 'h',
  };
  const tool = { name: 'math.add', own_name: 'add', description: 'Adds.', ...definition };
  const about = { name: 'math', source: 'local' as const, server: 'math', version: '1.0.0' };
  const toolsets = [{ ...about, tools: [tool] }];
  const random = new SeededRandom(1);
  const world = new VirtualClock(random);
  const clock = world.view();
  const answer = () => catalogue.announce({ worker: 'worker-1', toolsets });
  const bus = {
    send: () => {
      // What came meanwhile is heard some time after the thaw.
      clock.after(0, () => clock.after(1, answer));
      return Promise.resolve('confirmed');
    },
    connectedForMs: () => 60_000,
  };
  const deps = {
    bus,
    clock,
    random,
    peers: { isLost: () => Promise.resolve(false) },
    processId: 'orchestrator-1',
    settings: testSettings(),
    store: {
      putCatalog: () => Promise.resolve(),
      listDefinitions: () => Promise.resolve([]),
      getDefinition: () => Promise.resolve(null),
      insertDefinition: () => Promise.resolve('inserted'),
    },
  };
  const catalogue = new CatalogueService(deps as never);
  let isOver = false;
  void catalogue.rollCall().then(() => (isOver = true));
  clock.freeze();
  await world.advance(1_200);
  clock.thaw();
  await world.runUntil('the end of the roll-call', () => isOver, 2_000);
  expect((await catalogue.pin()).tools.map(({ name }) => name)).toEqual(['math.add']);
  catalogue.close();
});
