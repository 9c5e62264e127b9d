import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readGolden } from './golden.js';
import { jsonSchemaOf, SCHEMAS } from './schemas.js';

/*
 * A change here is a change of the wire or of stored rows: additive ones are recorded with UPDATE_GOLDEN=1, any
 * other one breaks processes and rows of the version before.
 */
describe('the published JSON Schema', () => {
  it.each(Object.keys(SCHEMAS))('of %s has not changed', (group) => {
    const schemas = Object.entries(SCHEMAS[group]!).map(([name, schema]) => [name, jsonSchemaOf(schema)]);
    const published = JSON.parse(JSON.stringify(Object.fromEntries(schemas))) as unknown;
    if (process.env.UPDATE_GOLDEN === '1') {
      const file = join(import.meta.dirname, 'golden', 'schemas', `${group}.json`);
      writeFileSync(file, `${JSON.stringify(published, null, 1)}\n`);
    }
    expect(published).toStrictEqual(readGolden(`schemas/${group}`));
  });
});
