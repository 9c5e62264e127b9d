import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { catalogSchema, type Toolset } from '#contracts';
import { definitionHash } from './canonical-hash.js';
import { Catalogue } from './catalogue.js';
import { announcedTool as tool, announcedToolset as toolset } from './testing/toolsets.js';

const names = (catalogue: Catalogue) => catalogue.offered().map(({ name }) => name);

describe('Catalogue', () => {
  it('offers what one worker announces, sorted by name, as a valid catalogue row', () => {
    const catalogue = new Catalogue();
    catalogue.announce(
      'w1',
      [toolset('web', [tool('web', 'b'), tool('web', 'a')]), toolset('math', [tool('math', 'add')])],
      0,
    );
    expect(names(catalogue)).toEqual(['math.add', 'web.a', 'web.b']);
    expect(catalogSchema.safeParse({ _id: catalogue.hash, tools: catalogue.offered() }).success).toBe(true);
    expect(catalogue.offered()[0]).toMatchObject({ toolset: 'math', source: 'local', display_name: 'add' });
  });

  it('offers only the tools that every worker of a toolset has', () => {
    const catalogue = new Catalogue();
    catalogue.announce('w1', [toolset('fs', [tool('fs', 'read'), tool('fs', 'write')])], 0);
    catalogue.announce(
      'w2',
      [toolset('fs', [tool('fs', 'read')]), toolset('math', [tool('math', 'add')])],
      0,
    );
    expect(names(catalogue)).toEqual(['fs.read', 'math.add']);
    catalogue.withdraw('w2');
    expect(names(catalogue)).toEqual(['fs.read', 'fs.write']);
  });

  it('rebuilds its list only when an announcement differs, and still counts the worker as alive', () => {
    const catalogue = new Catalogue();
    const offer = () => [toolset('fs', [tool('fs', 'read')])];
    catalogue.announce('w1', offer(), 0);
    const offered = catalogue.offered();
    catalogue.announce('w1', offer(), 25_000);
    catalogue.expire(40_000, 60_000);
    expect(catalogue.offered()).toBe(offered);
    catalogue.announce('w1', [toolset('fs', [tool('fs', 'read', 'changed')])], 41_000);
    expect(catalogue.offered()[0]?.description).toBe('changed');
    catalogue.announce('w1', [toolset('fs', [tool('fs', 'read', 'changed')], '9.0.0')], 42_000);
    catalogue.announce('w2', [toolset('fs', [tool('fs', 'read', 'older')], '5.0.0')], 43_000);
    expect(catalogue.offered()[0]?.description).toBe('older');
  });

  it('keeps the tools of other workers when the server of one is down', () => {
    const catalogue = new Catalogue();
    catalogue.announce('w1', [toolset('fs', [tool('fs', 'read')])], 0);
    catalogue.announce('w2', [toolset('fs', [])], 0);
    expect(names(catalogue)).toEqual(['fs.read']);
    expect(catalogue.workersOf('fs')).toBe(1);
  });

  it('uses the definition of the lower version during an upgrade, regardless of the last announcement', () => {
    const catalogue = new Catalogue();
    const before = toolset('fs', [tool('fs', 'read', 'old'), tool('fs', 'gone')], '1.9.0');
    const after = toolset('fs', [tool('fs', 'read', 'new'), tool('fs', 'added')], '1.10.0');
    catalogue.announce('w2', [after], 0);
    catalogue.announce('w1', [before], 10);
    expect(catalogue.offered().map(({ name, description }) => [name, description])).toEqual([
      ['fs.read', 'old'],
    ]);
    catalogue.withdraw('w1');
    expect(catalogue.offered().map(({ name, description }) => [name, description])).toEqual([
      ['fs.added', 'added'],
      ['fs.read', 'new'],
    ]);
  });

  it('offers the version that the author gave a tool, not that of its toolset, and the older major one', () => {
    const catalogue = new Catalogue();
    const versioned = (version: string) => ({ ...tool('fs', 'read', version), version });
    catalogue.announce('w1', [toolset('fs', [versioned('2.0.0')])], 0);
    catalogue.announce('w2', [toolset('fs', [versioned('1.2.0')], '9.0.0')], 1);
    catalogue.announce('w3', [toolset('fs', [versioned('1.10.0')])], 2);
    expect(catalogue.offered()[0]?.version).toBe('1.2.0');
    catalogue.withdraw('w2');
    expect(catalogue.offered()[0]?.version).toBe('1.10.0');
    expect([1, 2, 9].map((major) => catalogue.hasMajor('fs', 'fs.read', major))).toEqual([true, true, false]);
    catalogue.withdraw('w3');
    expect(catalogue.offered()[0]?.version).toBe('2.0.0');
    expect(catalogue.hasMajor('fs', 'fs.read', 1)).toBe(false);
    catalogue.announce('w1', [toolset('fs', [tool('fs', 'read')], '3.1.4')], 4);
    expect(catalogue.offered()[0]?.version).toBe('3.1.4');
  });

  it('uses the definition first seen when versions agree, and keeps it', () => {
    const catalogue = new Catalogue();
    const before = [toolset('fs', [tool('fs', 'read', 'old')])];
    const after = [toolset('fs', [tool('fs', 'read', 'new')])];
    catalogue.announce('w1', before, 0);
    catalogue.announce('w2', after, 5);
    const { hash } = catalogue;
    catalogue.announce('w1', before, 10);
    expect(catalogue.offered()[0]?.description).toBe('old');
    expect(catalogue.hash).toBe(hash);
  });

  it('forgets a worker after 30 s of silence, not before', () => {
    const catalogue = new Catalogue();
    catalogue.announce('w1', [toolset('math', [tool('math', 'add')])], 1000);
    catalogue.expire(30_999, Infinity);
    expect(names(catalogue)).toEqual(['math.add']);
    catalogue.expire(31_000, Infinity);
    expect(names(catalogue)).toEqual([]);
  });

  it('does not count time in which it could not receive announcements', () => {
    const catalogue = new Catalogue();
    catalogue.announce('w1', [toolset('math', [tool('math', 'add')])], 1000);
    catalogue.expire(60_000, 0);
    catalogue.expire(89_999, 29_999);
    expect(names(catalogue)).toEqual(['math.add']);
    catalogue.expire(90_000, 30_000);
    expect(names(catalogue)).toEqual([]);
  });

  it('qualifies the display name of a tool that two local toolsets share', () => {
    const catalogue = new Catalogue();
    const remote = toolset('Calendar', [tool('Calendar', 'add')], '1.0.0', 'mcp');
    catalogue.announce(
      'w1',
      [toolset('math', [tool('math', 'add')]), toolset('dates', [tool('dates', 'add')]), remote],
      0,
    );
    const shown = catalogue.offered().map(({ display_name }) => display_name);
    expect(new Set(shown)).toEqual(new Set(['math.add', 'dates.add', 'mcp:Calendar:add']));
  });

  it('gives the same list and hash for the same offer in any order', () => {
    const toolsets = ['a', 'b', 'c'].map((name) => toolset(name, [tool(name, 'x'), tool(name, 'y')]));
    const announcements = toolsets.flatMap((one) => [['w1', one] as const, ['w2', one] as const]);
    const expected = offerOf(announcements);
    fc.assert(
      fc.property(fc.shuffledSubarray(announcements, { minLength: 6 }), (shuffled) => {
        expect(offerOf(shuffled)).toBe(expected);
      }),
    );
  });

  function offerOf(announcements: readonly (readonly [string, Toolset])[]): string {
    const catalogue = new Catalogue();
    const byWorker = new Map<string, Toolset[]>();
    for (const [worker, one] of announcements) byWorker.set(worker, [...(byWorker.get(worker) ?? []), one]);
    for (const [worker, toolsets] of byWorker) catalogue.announce(worker, toolsets, 0);
    return catalogue.hash + JSON.stringify(catalogue.offered());
  }

  it('does not treat another key order in a schema as a new definition', () => {
    const one = { ...tool('a', 'x'), input_schema: { type: 'object', properties: { a: {}, b: {} } } };
    const two = { ...one, input_schema: { properties: { b: {}, a: {} }, type: 'object' } };
    expect(definitionHash(one)).toBe(definitionHash(two));
    expect(definitionHash({ ...one, timeout_ms: 2 })).not.toBe(definitionHash(one));
  });

  it('keeps the order of the other tools when a server adds one, wherever its name sorts', () => {
    const servers = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z._ -]{1,6}$/), { minLength: 1, maxLength: 5 });
    const own = fc.uniqueArray(fc.stringMatching(/^[a-zA-Z0-9._-]{1,6}$/), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(servers, own, fc.string({ minLength: 1, maxLength: 8 }), (hosts, tools, added) => {
        const offerWith = (more: string[]) => {
          const catalogue = new Catalogue();
          const toolsets = hosts.map((host, i) =>
            toolset(
              host,
              [...tools, ...(i === 0 ? more : [])].map((name) => tool(host, name)),
            ),
          );
          catalogue.announce('w1', toolsets, 0);
          return names(catalogue);
        };
        const before = offerWith([]);
        const after = offerWith([added]);
        expect(after.filter((name) => before.includes(name))).toEqual(before);
        expect(after.length - before.length).toBe(tools.includes(added) ? 0 : 1);
      }),
    );
  });
});
