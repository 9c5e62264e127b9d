import { describe, expect, it } from '@jest/globals';
import type { ToolChoice } from '#contracts';
import { Catalogue } from './catalogue.js';
import { toBusName, toToolsetName } from './names.js';
import { findUnknownEntries, Offer } from './offer.js';
import { announcedTool as tool, announcedToolset as toolset } from './testing/toolsets.js';

describe('an offer', () => {
  const catalogue = new Catalogue();
  catalogue.announce(
    'w1',
    [
      toolset('math', [tool('math', 'add'), tool('math', 'multiply')]),
      toolset('My CRM', [tool('My CRM', 'getUser')], '1.0.0', 'mcp'),
    ],
    0,
  );
  const all = catalogue.offered();
  const crm = toBusName('My CRM', 'getUser');
  const filter = (choice: ToolChoice | undefined) =>
    new Offer([{ by: 'message', choice }]).filter(all).map(({ name }) => name);

  it('allows everything without a choice, nothing with an empty one', () => {
    expect(filter(undefined)).toHaveLength(3);
    expect(filter({})).toHaveLength(3);
    expect(filter({ allow: [] })).toEqual([]);
  });

  it.each(['My CRM', 'mcp:My CRM', toToolsetName('My CRM'), crm, 'mcp:My CRM:getUser'])(
    'matches an MCP tool by %s',
    (entry) => {
      expect(filter({ allow: [entry] })).toEqual([crm]);
    },
  );

  it('includes only the listed tools of a server, by exact names', () => {
    expect(filter({ only: [{ server: 'math', tools: ['add'] }] })).toEqual([crm, 'math.add'].sort());
    expect(filter({ only: [{ server: 'My CRM', tools: [] }] })).toEqual(['math.add', 'math.multiply']);
    expect(filter({ only: [{ server: 'Math', tools: [] }] })).toHaveLength(3);
    expect(filter({ only: [{ server: 'math', tools: ['add'] }], block: ['add'] })).toEqual([crm]);
    const twice = [
      { server: 'math', tools: ['add'] },
      { server: 'math', tools: [] },
    ];
    expect(filter({ only: twice })).toEqual([crm]);
  });

  it.each(['add', 'math.add', 'math__add'])('matches a local tool by %s', (entry) => {
    expect(filter({ block: [entry] })).not.toContain('math.add');
    expect(filter({ allow: [entry] })).toEqual(['math.add']);
  });

  it('gives block precedence over allow', () => {
    expect(filter({ allow: ['math'], block: ['math.add'] })).toEqual(['math.multiply']);
  });

  it('combines all rules: a tool that the deployment blocks cannot be allowed', () => {
    const offer = new Offer([
      { by: 'deployment', choice: { block: ['math.add'] } },
      { by: 'conversation', choice: { allow: ['math', 'My CRM'] } },
      { by: 'message', choice: { allow: ['math.add', 'math.multiply'] } },
    ]);
    expect(offer.filter(all).map(({ name }) => name)).toEqual(['math.multiply']);
    expect(all.map((tool) => offer.whyNot(tool))).toEqual(
      all.map(({ name }) => {
        if (name === 'math.add') return 'math.add is blocked by this deployment.';
        return name === crm ? `${crm} is not among the tools that this message allows.` : undefined;
      }),
    );
  });

  it('has a tool that requires a role only for users with one of these', () => {
    const rolesFor = (name: string) => (name === 'math.add' ? ['teacher', 'chief'] : undefined);
    const offered = (roles?: string[]) => new Offer([], { rolesFor, roles }).filter(all);
    expect(offered(['chief', 'guest'])).toEqual(all);
    for (const roles of [undefined, [], ['guest']])
      expect(offered(roles).map(({ name }) => name)).toEqual(
        all.map(({ name }) => name).filter((name) => name !== 'math.add'),
      );
    const offer = new Offer([], { rolesFor, roles: ['guest'], isPaused: () => true });
    expect(offer.whyNot(all.find(({ name }) => name === 'math.add')!)).toBe(
      'math.add is not offered to this user.',
    );
  });

  it('lists the entries that match nothing', () => {
    const choice = { allow: ['math', 'mth', 'mcp:My CRM'], block: ['add', 'math.ad', 'mth'] };
    expect(findUnknownEntries(choice, all)).toEqual(['mth', 'math.ad']);
  });
});
