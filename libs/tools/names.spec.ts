import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toolNameSchema } from '#contracts';
import { busNameOf, displayName, suggestNames, toBusName, toModelName, toToolsetName } from './names.js';

/** Names as servers spell them: plain, almost plain, dotted, looking suffixed, long, any Unicode. */
const ownName = fc.oneof(
  fc.stringMatching(/^[a-z0-9_]{1,8}$/),
  fc.stringMatching(/^[a-zA-Z._/-]{0,6}$/),
  fc.stringMatching(/^[a-c_.]{1,5}_[0-9a-f]{12}$/),
  fc.stringMatching(/^[a-b_]{60,130}$/),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.integer({ min: 0xd800, max: 0xdfff }), { maxLength: 3 })
    .map((units) => String.fromCharCode(...units)),
);
const tool = fc.tuple(ownName, ownName);
/** Bus names close to each other: the dot and the underscore are what `toModelName` could confuse. */
const busName = fc.oneof(
  fc.stringMatching(/^[a_]{1,4}(\.[a_]{1,4}){1,3}$/),
  tool.map(([server, own]) => toBusName(server, own)),
);

describe('bus names', () => {
  it('keep plain names unchanged', () => {
    expect(toBusName('math', 'add')).toBe('math.add');
    expect(toBusName('fs', 'v2.read_file')).toBe('fs.v2.read_file');
  });

  it('keep an odd name readable before its hash', () => {
    expect(toBusName('Weather Server', 'getUser')).toMatch(
      /^weather_server_[0-9a-f]{12}\.get_user_[0-9a-f]{12}$/,
    );
    expect(toBusName('x', 'ärger')).toMatch(/^x\.arger_[0-9a-f]{12}$/);
    expect(toBusName('', '日本')).toMatch(/^toolset_[0-9a-f]{12}\.tool_[0-9a-f]{12}$/);
  });

  it('suffix a plain name that looks suffixed, so that no other name can collide with it', () => {
    const suffixed = toBusName('s', 'get-user').slice(2);
    expect(toBusName('s', suffixed)).not.toBe(`s.${suffixed}`);
  });

  it('do not treat a final newline as the end of a plain name', () => {
    expect(toBusName('s\n', 'add\n')).not.toContain('\n');
  });

  it('are valid tool names of a bounded length for any names of servers and tools', () => {
    fc.assert(
      fc.property(tool, ([server, own]) => {
        const name = toBusName(server, own);
        expect(toolNameSchema.safeParse(name).success).toBe(true);
        expect(toToolsetName(server)).toMatch(/^[a-z0-9_]{1,40}$/);
        expect(name.startsWith(`${toToolsetName(server)}.`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('never map two tools to one name', () => {
    fc.assert(
      fc.property(fc.uniqueArray(tool, { maxLength: 30, selector: (t) => JSON.stringify(t) }), (tools) => {
        expect(new Set(tools.map(([server, own]) => toBusName(server, own))).size).toBe(tools.length);
      }),
      { numRuns: 200 },
    );
  });
});

describe('model names', () => {
  it('are joined with two underscores when that can be undone', () => {
    expect(toModelName('math.add')).toBe('math__add');
    expect(toModelName('a.b.c')).toBe('a__b__c');
  });

  it('distinguish a dot from existing underscores', () => {
    const names = ['a.b__c', 'a__b.c', 'a.b.c', 'a_.b', 'a._b', 'a._._b', 'a___._b'];
    expect(new Set(names.map(toModelName)).size).toBe(names.length);
    expect(toModelName('a.b__c')).toMatch(/^a__b__c-[0-9a-f]{12}$/);
  });

  it('keep 64 characters unchanged and hash 65', () => {
    const longest = `a.${'b'.repeat(61)}`;
    expect(toModelName(longest)).toBe(`a__${'b'.repeat(61)}`);
    expect(toModelName(`${longest}b`)).toMatch(/^a__b{48}-[0-9a-f]{12}$/);
  });

  it('fit every model API and map back to their tool', () => {
    fc.assert(
      fc.property(fc.uniqueArray(busName, { minLength: 1, maxLength: 30 }), (names) => {
        const tools = names.map((name) => ({ name }));
        for (const name of names) {
          expect(toModelName(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(busNameOf(toModelName(name), tools)).toBe(name);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are unknown when no tool has them', () => {
    expect(busNameOf('math__sub', [{ name: 'math.add' }])).toBeUndefined();
  });
});

describe('suggested tool names', () => {
  const names = ['math.add', 'math.multiply', 'web.web_search', 'knowledge.rag_search'];

  it('ignore case and separators', () => {
    expect(suggestNames('Math-Add', names)[0]).toBe('math.add');
    expect(suggestNames('math__multiply', names)[0]).toBe('math.multiply');
  });

  it('find a bare or misspelled name', () => {
    expect(suggestNames('multply', names)).toEqual(['math.multiply']);
    expect(suggestNames('websearch', names)[0]).toBe('web.web_search');
  });

  it('are at most three, and none when no name is close', () => {
    expect(suggestNames('transcribe_audio_file', names)).toEqual([]);
    expect(suggestNames('', names)).toEqual([]);
    expect(suggestNames('t.a', ['t.b', 't.c', 't.d', 't.e'])).toHaveLength(3);
  });

  it('take bounded work for a huge name', () => {
    expect(suggestNames('x'.repeat(1_000_000), ['y'.repeat(1_000_000)])).toEqual([]);
  });
});

describe('display names', () => {
  const add = { own_name: 'add', toolset: 'math', source: 'local' as const, server: 'math' };

  it('are bare for local tools unless two toolsets share one', () => {
    expect(displayName(add, [add])).toBe('add');
    expect(displayName(add, [add, { own_name: 'add', toolset: 'calendar' }])).toBe('math.add');
  });

  it('contain server and tool of MCP tools as the server spells them', () => {
    const remote = { own_name: 'get-user', toolset: 'crm_1', source: 'mcp' as const, server: 'CRM' };
    expect(displayName(remote, [add])).toBe('mcp:CRM:get-user');
  });
});
