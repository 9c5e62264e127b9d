import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createProgram } from './program.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-groups-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(settings: unknown, ...words: string[]): Promise<string> {
  const CONFIG = join(folder, 'switchyard.json');
  writeFileSync(CONFIG, JSON.stringify(settings));
  let printed = '';
  const program = createProgram({
    write: (text) => void (printed += text),
    environment: { CONFIG },
  });
  await program.parseAsync(['groups', ...words], { from: 'user' });
  return printed;
}

describe('switchyard groups', () => {
  const settings = { groups: [{ name: 'lab', toolsets: ['lab', 'shop'] }] };

  it('prints the commands that create the broker user of each group', async () => {
    expect(await run(settings, '--vhost', "it's")).toBe(
      String.raw`rabbitmqctl add_user switchyard-lab
rabbitmqctl set_permissions --vhost 'it'\''s' switchyard-lab '^worker\.lab\..+$' '^(worker\.lab\..+|switchyard\.ledger\.lab)$' '^(worker\.lab\..+|switchyard\.control\.lab|tools\.(lab|shop))$'
`,
    );
  });

  it('prints the rights as JSON', async () => {
    const [group] = JSON.parse(await run(settings, '--json')) as { rights: object }[];
    expect(group).toMatchObject({ name: 'lab', rights: { configure: String.raw`^worker\.lab\..+$` } });
  });

  it('says that there are none, and what is wrong with the file', async () => {
    expect(await run({})).toBe('CONFIG names no groups of workers.\n');
    await expect(run({ groups: [{ name: 'Lab', toolsets: [] }] })).rejects.toThrow('groups.0');
  });
});
