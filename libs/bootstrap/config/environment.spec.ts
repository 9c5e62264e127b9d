import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ENVIRONMENT_NAMES } from './environment.js';

describe('.env.example', () => {
  const text = readFileSync('.env.example', 'utf8');
  const names = [...text.matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map((match) => match[1]);

  it('has the same names as the schemas', () => {
    expect([...names].sort()).toEqual([...ENVIRONMENT_NAMES].sort());
  });

  it('sets no variable', () => {
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });
});
