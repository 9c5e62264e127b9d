import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import { defineTool } from '#tools';
import { runTool } from '../tools/testing/index.js';
import { loadToolFiles } from './load-tool-files.js';

const clock = new SystemClock();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-tools-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const tool = (name: string) =>
  defineTool({
    name,
    description: 'Doubles a number.',
    input: z.strictObject({ n: z.number() }),
    class: 'read',
    timeoutMs: 1000,
    run: ({ n }) => 2 * n,
  });

/** Loads files that have these default exports. */
function load(files: Record<string, unknown>, { runsTypeScript = false } = {}) {
  for (const name of Object.keys(files)) writeFileSync(join(folder, name), '');
  const load = async (url: string) => ({ default: files[basename(new URL(url).pathname)] });
  return loadToolFiles(folder, { clock, load, runsTypeScript });
}

describe('loadToolFiles', () => {
  it('makes a toolset of each tool file, and ignores other files', async () => {
    const toolsets = await load({
      'b.tool.mjs': tool('twice'),
      'a.tool.js': [tool('one'), tool('two')],
      'b.mjs': tool('no'),
      'readme.md': undefined,
    });
    const names = toolsets.map((toolset) => [
      toolset.name,
      ...toolset.tools().map(({ definition }) => definition.own_name),
    ]);
    expect(names).toEqual([
      ['a', 'one', 'two'],
      ['b', 'twice'],
    ]);
    const [twice] = toolsets[1]!.tools();
    expect(await runTool(twice!, { n: 4 })).toMatchObject({ status: 'success', data: { value: 8 } });
    expect((await runTool(twice!, { n: '4' })).error).toMatchObject({
      error_type: 'ValidationError',
      error_details: { parameter: 'n' },
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['has no default export', { 'a.tool.mjs': undefined }, 'default export must be a tool'],
    [
      'exports something that is not a tool',
      { 'a.tool.mjs': { name: 'x', run: () => 1 } },
      'default export must be a tool',
    ],
    [
      'has a tool without a class, made without defineTool',
      { 'a.tool.mjs': { ...tool('x'), definition: { ...tool('x').definition, class: undefined } } },
      'the tool "x": class must be one of',
    ],
    [
      'has a tool whose arguments are a list',
      { 'a.tool.mjs': { ...tool('x'), definition: { ...tool('x').definition, input_schema: [] } } },
      'default export must be a tool',
    ],
    ['exports an empty list', { 'a.tool.mjs': [] }, 'default export must be a tool'],
    ['has two tools of one name', { 'a.tool.mjs': [tool('x'), tool('x')] }, 'two tools named x'],
    ['has a name that no queue can have', { 'My-Tools.tool.mjs': tool('x') }, 'its name must be'],
    ['is TypeScript, which this Node does not run', { 'a.tool.ts': tool('x') }, 'does not run TypeScript'],
    [
      'makes a toolset that another file makes, too',
      { 'a.tool.js': tool('x'), 'a.tool.mjs': tool('x') },
      'both make',
    ],
  ])('refuses a file that %s, with its path', async (_what, files, problem) => {
    const path = join(folder, Object.keys(files)[0]!);
    await expect(load(files)).rejects.toMatchObject({
      name: 'ToolSetupError',
      message: expect.stringMatching(new RegExp(`${path}.*${problem}`, 's')),
    });
  });

  it('loads TypeScript where Node runs it', async () => {
    const [toolset] = await load({ 'a.tool.ts': tool('x') }, { runsTypeScript: true });
    expect(toolset).toMatchObject({ name: 'a' });
  });

  it('refuses a file that throws while it is loaded, with its path and the reason', async () => {
    const path = join(folder, 'a.tool.mjs');
    writeFileSync(path, 'export default {');
    const load = () => Promise.reject(new SyntaxError('Unexpected end of input'));
    const loading = loadToolFiles(folder, { clock, load });
    await expect(loading).rejects.toThrow(`${path}: SyntaxError: Unexpected end of input`);
  });

  it('refuses a file that never finishes loading, with its path', async () => {
    writeFileSync(join(folder, 'a.tool.mjs'), 'await new Promise(() => {});');
    const clock = new VirtualClock(new SeededRandom(1));
    const loading = loadToolFiles(folder, { clock, load: () => new Promise(() => undefined) });
    const refused = expect(loading).rejects.toThrow(
      `${join(folder, 'a.tool.mjs')}: Error: it was not loaded within 15000 ms.`,
    );
    await clock.advance(15_000);
    await refused;
  });

  it('names TOOLS_DIR when the folder is missing', async () => {
    await expect(loadToolFiles(join(folder, 'missing'), { clock })).rejects.toThrow('correct TOOLS_DIR');
  });
});

describe('defineTool', () => {
  const source = {
    ...{ name: 'x', description: 'X.', input: z.strictObject({}), class: 'read' as const },
    timeoutMs: 1,
    run: () => 1,
  };
  it.each<[string, object, string]>([
    ['an invalid name', { name: 'My Tool' }, 'name must be'],
    ['a blank description', { description: ' ' }, 'description must'],
    ['an unknown class', { class: 'twice' }, 'class must be one of read'],
    ['a time limit in seconds', { timeoutMs: 0.5 }, 'timeoutMs must be'],
    ['a missing function', { run: undefined }, 'run must be'],
    ['arguments that are not an object', { input: z.string() }, 'input must be an object'],
    ['a type that JSON Schema lacks', { input: z.strictObject({ at: z.date() }) }, 'JSON Schema'],
  ])('refuses %s', (_what, change, problem) => {
    expect(() => defineTool({ ...source, ...change })).toThrow(problem);
  });

  it('reports to the model a broken rule that a JSON Schema cannot express', async () => {
    const even = z.strictObject({ n: z.number().refine((n) => n % 2 === 0, 'must be even') });
    const checked = defineTool({ ...source, input: even });
    expect((await runTool(checked, { n: 3 })).error).toMatchObject({
      error_type: 'ValidationError',
      error_details: { parameter: 'n', constraint: 'must be even' },
    });
  });
});
