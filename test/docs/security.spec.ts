import { describe, expect, it } from '@jest/globals';
import { ATTACKS } from '../attack/attacks.js';
import { readDocument } from './documents.js';

const text = readDocument('docs/security.md');

describe('docs/security.md', () => {
  it('lists every attack with what it does, in the order of execution', () => {
    const [, table = ''] = text.split('## Attacks');
    const rows = [...table.matchAll(/^\| `([\w-]+)`\s*\| (.*?)\s*\|$/gm)].map(([, name, says]) => [
      name,
      says,
    ]);
    expect(rows).toEqual(ATTACKS.map(({ name, says }) => [name, says]));
  });

  it('names only attacks that exist', () => {
    const [threats = ''] = text.split('## Attacks');
    const lists = [...threats.matchAll(/\battacks? ((?:`[\w-]+`(?:, )?)+)/g)].map(([, list]) => list!);
    const named = lists.flatMap((list) => [...list.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!));
    expect(named.length).toBeGreaterThan(5);
    const names = ATTACKS.map(({ name }) => name);
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
  });
});
