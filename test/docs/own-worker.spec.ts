import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, describe, it } from '@jest/globals';
import ts from 'typescript';
import { builtFolder } from '../services/built.js';
import { codeBlocks, readDocument, root, section } from './documents.js';

const tools = readDocument('docs/tools.md');
const example = (file: string) => readFileSync(join(root, 'examples/tool-worker', file), 'utf8');

/** A program of another repository, checked against the types in the package. */
const PROGRAM = `import { defineTool, runTool, ToolError, z, type ToolResult } from 'switchyard/tools';
import { createToolWorker } from 'switchyard/tool-worker';

const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody.',
  input: z.strictObject({ name: z.string(), times: z.int().optional() }),
  class: 'read',
  timeoutMs: 1000,
  run: ({ name, times = 1 }, { userId }) => {
    const repeated: number = times;
    if (name === '') throw new ToolError({ error_type: 'ValidationError', error_message: userId });
    return name.repeat(repeated);
  },
});
const result: ToolResult = await runTool(greet, { name: 'Ann' });
const worker = createToolWorker({ tools: { people: [greet] }, rabbitmqUrl: '', mongodbUrl: '' });
await worker.stop(0);
// @ts-expect-error an argument that the schema does not name
defineTool({ ...({} as never), input: z.strictObject({}), run: ({ nothing }) => nothing });
export { result };
`;

describe('docs/tools.md', () => {
  it('quotes the example worker and its tool exactly', () => {
    const [tool] = codeBlocks(section(tools, '## Writing a tool'), 'js');
    const [worker] = codeBlocks(section(tools, '## Your own worker'), 'js');
    expect(tool!.code.trim()).toBe(example('weather.tool.mjs').trim());
    expect(worker!.code.trim()).toBe(example('worker.mjs').trim());
    expect(worker!.code.trim().split('\n').length).toBeLessThanOrEqual(20);
  });
});

describe('the package', () => {
  it('exports the types of switchyard/tools and switchyard/tool-worker', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-types-'));
    mkdirSync(join(folder, 'node_modules'));
    // The package's types are those of its build.
    symlinkSync(dirname(builtFolder), join(folder, 'node_modules', 'switchyard'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    try {
      const program = ts.createProgram([join(folder, 'program.ts')], {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
      });
      const found = ts.getPreEmitDiagnostics(program);
      expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});
