import { expect, it } from '@jest/globals';
import { standStill } from '../../../test/services/stand-still.js';
import { CatalogueService } from './catalogue.service.js';

it('hears who answers a roll-call, although its process stood still for longer than that lasts', async () => {
  const definition = {
    input_schema: { type: 'object' },
    class: 'read' as const,
    timeout_ms: 1_000,
    hash: 'h',
  };
  const tool = { name: 'math.add', own_name: 'add', description: 'Adds.', ...definition };
  const about = { name: 'math', source: 'local' as const, server: 'math', version: '1.0.0' };
  const toolsets = [{ ...about, tools: [tool] }];
  const bus = {
    send: () => {
      standStill(1_200);
      setImmediate(() => setImmediate(() => catalogue.announce({ worker: 'worker-1', toolsets })));
      return Promise.resolve('confirmed');
    },
    connectedForMs: () => 60_000,
  };
  const deps = {
    bus,
    processId: 'orchestrator-1',
    settings: {},
    store: { putCatalog: () => Promise.resolve() },
  };
  const catalogue = new CatalogueService(deps as never);
  await catalogue.rollCall();
  expect((await catalogue.pin()).tools.map(({ name }) => name)).toEqual(['math.add']);
  catalogue.close();
});
