import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Toolset } from '#contracts';
import { Catalogue } from '#tools';
import { GroupToolsets } from './group-toolsets.js';

const LAB = 'worker-lab--00000000-0000-4000-8000-000000000001';
const OTHER = 'worker-00000000-0000-4000-8000-000000000002';
const FOREIGN = 'worker-shop--00000000-0000-4000-8000-000000000003';

function toolset(name: string): Toolset {
  const tool = { own_name: 'x', description: '', input_schema: {}, class: 'once' as const, timeout_ms: 1 };
  return {
    name,
    source: 'local',
    server: name,
    version: '1.0.0',
    tools: [{ ...tool, name: `${name}.x`, hash: name }],
  };
}

let warned: object[];
let catalogue: Catalogue;
let groups: GroupToolsets;

beforeEach(() => {
  warned = [];
  catalogue = new Catalogue();
  const log = { warn: (fields: object) => void warned.push(fields) };
  groups = new GroupToolsets([{ name: 'lab', toolsets: ['weather'] }], log);
});

function announce(worker: string, ...toolsets: Toolset[]): void {
  catalogue.announce(worker, toolsets, 0);
  groups.check(catalogue);
}

describe('a toolset of a group', () => {
  it('belongs to the workers of the group', () => {
    announce(LAB, toolset('weather'));
    announce(OTHER, toolset('math'));
    expect(warned).toEqual([]);
  });

  it('causes one warning for each other worker that announces it, and another when it happens again', () => {
    announce(OTHER, toolset('weather'));
    announce(OTHER, toolset('weather'));
    announce(FOREIGN, toolset('weather'));
    const about = { toolset: 'weather', group: 'lab' };
    expect(warned).toEqual([
      { ...about, worker: OTHER },
      { ...about, worker: FOREIGN },
    ]);
    announce(OTHER);
    announce(OTHER, toolset('weather'));
    expect(warned).toHaveLength(3);
  });
});
