import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PROVIDERS } from '#llm';
import { firstCells, readDocument, root, section } from './documents.js';

const models = readDocument('docs/models.md');

describe.each(PROVIDERS.map((provider) => [provider.name, provider] as const))(
  'provider %s',
  (name, provider) => {
    const { keyVariable, urlVariable, suggestedModel, publicUrl } = provider;

    test('has a row in docs/models.md with its variables', () => {
      const cells = [keyVariable, urlVariable].filter(Boolean).map((variable) => `\`${variable}\``);
      const row = models.split('\n').find((line) => line.startsWith(`| \`${name}/<model>\``));
      expect(row?.split('|')[2]?.trim()).toBe(cells.join(', '));
    });

    test('has a row in docs/models.md for the format of its tools', () => {
      const forms = firstCells(section(models, '## Tool schemas')).map((cell) => cell.toLowerCase());
      expect(forms).toContain(name);
    });

    test('has its suggested model in docs/models.md', () => {
      expect(models).toContain(`\`${name}/${suggestedModel}\``);
    });

    test('has its variables in .env.example, with the default address', () => {
      const example = readDocument('.env.example');
      if (keyVariable) expect(example).toContain(`\n# ${keyVariable}=\n`);
      expect(example).toContain(`\n# ${urlVariable}=${publicUrl.replace(/(?<=:\d+)\/v1$/, '')}\n`);
    });

    test('has recorded answers for the provider contract', () => {
      expect(existsSync(join(root, 'libs/llm/testing/fixtures', name))).toBe(true);
    });
  },
);
