import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { codeBlocks, readDocument, root, section } from './documents.js';

const text = section(readDocument('README.md'), '## Add a tool');
const [block] = codeBlocks(text, 'js');
const code = block!.code;
const [, file] = /`([\w.-]+\.tool\.mjs)`/.exec(text)!;

/** Prints each toolset of the folder with its tools and what the first one answers. */
const PROGRAM = `import { loadToolFiles } from ${JSON.stringify(pathToFileURL(join(root, 'libs/toolsets/load-tool-files.ts')).href)};
import { SystemClock } from ${JSON.stringify(pathToFileURL(join(root, 'libs/time/index.ts')).href)};
import { runTool } from 'switchyard/tools';
const toolsets = await loadToolFiles(import.meta.dirname, { clock: new SystemClock() });
const [tool] = toolsets[0].tools();
const names = toolsets.map((toolset) => [toolset.name, ...toolset.tools().map(({ definition }) => definition.own_name)]);
console.log(JSON.stringify({ names, result: await runTool(tool, { text: 'abc' }) }));
`;

describe('the tool in README.md', () => {
  it('is about ten lines of code', () => {
    const lines = code.trimEnd().split('\n');
    expect(lines.filter((line) => line !== '').length).toBeLessThanOrEqual(10);
  });

  it('is offered as soon as its file is in the folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-readme-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'switchyard'));
    writeFileSync(join(folder, file!), code);
    writeFileSync(join(folder, 'program.mjs'), PROGRAM);
    const register = pathToFileURL(join(root, 'scripts/typescript-register.mjs')).href;
    const options = ['--import', register, '--conditions=switchyard-source', join(folder, 'program.mjs')];
    try {
      const { stdout } = await promisify(execFile)(process.execPath, options, {
        cwd: root,
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      expect(JSON.parse(stdout)).toMatchObject({
        names: [['text', 'reverse']],
        result: { status: 'success', data: { text: 'cba' } },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});
