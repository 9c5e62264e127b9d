import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage } from '#contracts';
import { systemTime } from '#time';
import { announcedTool, announcedToolset } from '../../../libs/tools/testing/toolsets.js';
import { root } from '../../docs/documents.js';
import { waitFor } from '../../services/wait-for.js';
import { startHarness } from '../gateway/gateway-harness.js';
import { runCommand } from './run-command.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-tools-check-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'switchyard'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As another copy of the package would make it: what is reviewed is the definition. */
const tool = (definition: object) => `export default {
  definition: ${JSON.stringify({
    ...{ own_name: 'send', description: 'Sends a mail to somebody.', class: 'once', timeout_ms: 1_000 },
    ...definition,
  })},
  run: async () => ({ status: 'success' }),
};`;
const TO = { to: { type: 'string', description: 'An address' } };
const strict = (properties: object) => ({ type: 'object', properties, additionalProperties: false });
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

describe('switchyard tools check', () => {
  it('reviews each tool of a folder, and ends with 0 for warnings', async () => {
    write('mail.tool.mjs', tool({ input_schema: strict(TO), version: '1.0.0' }));
    expect(await runCommand({}, 'tools', 'check', folder)).toEqual({
      code: 0,
      text: 'OK       mail.send: 1.0.0, once, it promises nothing of its results.\n',
    });
    write('post.tool.mjs', tool({ input_schema: { type: 'object' } }));
    const { code, text } = await runCommand({ TOOLS_DIR: join(folder) }, 'tools', 'check');
    expect(code).toBe(0);
    expect(text.split('\n').filter((line) => line !== '')).toHaveLength(3);
    expect(text).toMatch(/^WARNING {2}post\.send: it has no version/m);
  });

  it('names a file that cannot be loaded, and ends with 1', async () => {
    write('mail.tool.mjs', 'export default {');
    const { code, text } = await runCommand({}, 'tools', 'check', folder);
    expect([code, text]).toEqual([1, expect.stringMatching(/^ERROR +tools: .*mail\.tool\.mjs: SyntaxError/)]);
  });

  it.each([
    ['the argument', true, 'name the folder of your tools'],
    ['TOOLS_DIR', false, 'correct TOOLS_DIR'],
  ])('says what to correct when there is no folder: %s', async (_, isNamed, mend) => {
    const path = join(folder, 'none');
    const { code, text } = await runCommand(
      isNamed ? { TOOLS_DIR: folder } : { TOOLS_DIR: path },
      ...['tools', 'check', ...(isNamed ? [path] : [])],
    );
    expect([code, text]).toEqual([1, expect.stringContaining(`${path} is not a folder: ${mend}. docs/`)]);
  });

  it('notes once per tool, after the findings, which rules providers do not enforce', async () => {
    const properties = { to: { type: 'string', minLength: 1, maxLength: 9, description: 'An address' } };
    write('mail.tool.mjs', tool({ input_schema: strict(properties), version: '1.0.0' }));
    write('post.tool.mjs', tool({ input_schema: strict(TO) }));
    const { code, text } = await runCommand({}, 'tools', 'check', folder);
    expect(code).toBe(0);
    expect(text.split('\n').map((line) => line.slice(0, 18))).toEqual([
      'OK       mail.send',
      'WARNING  post.send',
      'NOTE     mail.send',
      '',
    ]);
    expect(text).toContain(
      'rules: minLength of to (ollama), maxLength of to (ollama). Models read them as text',
    );
  });

  it('writes a page for each tool', async () => {
    write('note.tool.mjs', tool({ input_schema: strict(TO), version: '1.2.0' }));
    const out = join(folder, 'pages');
    const path = join(out, 'note.send.md');
    expect((await runCommand({}, 'tools', 'pages', folder, '--out', out)).text).toBe(`${path}\n`);
    expect(readFileSync(path, 'utf8')).toMatch(/^# note\.send\n[^]*Version 1\.2\.0\.[^]*`to` \| string/);
    const nowhere = runCommand({}, 'tools', 'pages', join(folder, 'none'), '--out', out);
    await expect(nowhere).rejects.toThrow('is not a folder');
  });

  it('says what an update of the running system would break', async () => {
    const harness = await startHarness();
    const running = { ...announcedTool('mail', 'send'), class: 'once' as const, input_schema: strict(TO) };
    const toolsets = [announcedToolset('mail', [running], '1.0.0')];
    const announced = newMessage(systemTime(), 'catalog.announce', { worker: 'worker-1', toolsets });
    await harness.driver.send('gateway.all', announced);
    const check = async () => {
      const { code, text } = await runCommand(
        {},
        '--url',
        harness.url,
        'tools',
        'check',
        folder,
        '--running',
        '--json',
      );
      return { code, found: JSON.parse(text) as { level: string; text: string }[] };
    };
    write('mail.tool.mjs', tool({ input_schema: strict({}), version: '1.1.0' }));
    const broken = await waitFor(
      async () => (({ found, code }) => (code === 1 ? found : undefined))(await check()),
      { what: 'the announced tool' },
    );
    expect(broken).toEqual([
      {
        ...{ subject: 'mail.send', level: 'error', mend: 'Make it 2.0.0, or take the change back.' },
        text: '1.1.0, after 1.0.0, breaks calls made for it: input to was removed',
      },
    ]);
    // A module is loaded once for each address.
    rmSync(join(folder, 'mail.tool.mjs'));
    write('mail.tool.js', tool({ input_schema: strict(TO), version: '1.0.0' }));
    expect(await check()).toEqual({
      code: 0,
      found: [{ subject: 'mail.send', level: 'ok', text: 'as the running 1.0.0: an update needs no care' }],
    });
    await harness.stop();
  });
});
