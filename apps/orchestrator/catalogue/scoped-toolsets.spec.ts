import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Toolset } from '#contracts';
import { createMetrics } from '#observability';
import { Catalogue } from '#tools';
import { ScopedToolsets } from './scoped-toolsets.js';

const tool = { own_name: 'x', description: '', input_schema: {}, class: 'once' as const, timeout_ms: 1 };

function toolset(name: string, scope?: Toolset['scope']): Toolset {
  const tools = [{ ...tool, name: `${name}.x`, hash: name }];
  return { name, source: 'mcp', server: name, version: '1.0.0', scope, tools };
}

let warned: unknown[];
let catalogue: Catalogue;
let scoped: ScopedToolsets;
let metrics: ReturnType<typeof createMetrics>;

beforeEach(() => {
  warned = [];
  catalogue = new Catalogue();
  metrics = createMetrics({ collectDefaults: false });
  scoped = new ScopedToolsets({ log: { warn: (fields: object) => void warned.push(fields) }, metrics });
});

function announce(worker: string, ...toolsets: Toolset[]): void {
  catalogue.announce(worker, toolsets, 0);
  scoped.check(catalogue);
}

describe('two workers that announce the same toolset', () => {
  it('are accepted when it is shared, and cause one counted warning when it has a scope', async () => {
    announce('worker-1', toolset('math'), toolset('memory', 'user'));
    announce('worker-2', toolset('math'));
    expect(warned).toEqual([]);
    announce('worker-2', toolset('math'), toolset('memory', 'user'));
    announce('worker-1', toolset('math'), toolset('memory', 'user'));
    expect(warned).toEqual([{ toolset: 'memory', workers: 2 }]);
    const { values } = await metrics.scopedToolsetConflicts.get();
    expect(values).toEqual([expect.objectContaining({ labels: { toolset: 'memory' }, value: 1 })]);
  });

  it('cause another warning when it happens again', () => {
    announce('worker-1', toolset('memory', 'conversation'));
    announce('worker-2', toolset('memory', 'conversation'));
    catalogue.withdraw('worker-2');
    announce('worker-1', toolset('memory', 'conversation'));
    announce('worker-2', toolset('memory', 'conversation'));
    expect(warned).toHaveLength(2);
  });
});
