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
  return print({ CONFIG }, ...words);
}

async function print(environment: Record<string, string>, ...words: string[]): Promise<string> {
  let printed = '';
  const program = createProgram({ write: (text) => void (printed += text), environment });
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

  it('refuses a file without groups or with wrong ones, and says where it looked', async () => {
    const none = `${join(folder, 'switchyard.json')}, which CONFIG names, has no groups of workers. Set CONFIG`;
    await expect(run({})).rejects.toThrow(none);
    await expect(run({}, '--json')).rejects.toThrow(none);
    await expect(print({})).rejects.toThrow('CONFIG is not set, and ./switchyard.json');
    await expect(run({ groups: [{ name: 'Lab', toolsets: [] }] })).rejects.toThrow('groups.0');
  });
});
