import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import * as zod from 'zod';
import * as tools from '#tools';
import { codeBlocks, readDocument, root, section } from './documents.js';

const [block] = codeBlocks(section(readDocument('README.md'), '## Add a local tool'), 'ts');
const code = block!.code;
/** Where README.md says that the new file goes. */
const file = join(root, 'libs/tools/local/text.ts');

/** Problems of the example as if it stood in its file; everything else is read from the disk. */
function typeCheck(): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: () => undefined,
    },
  );
  const options = { ...config!.options, noEmit: true };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => path === file || fileExists.call(host, path);
  host.readFile = (path) => (path === file ? code : readFile.call(host, path));
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, code, rest[0]) : getSourceFile.call(host, path, ...rest);
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** The example's exports, its two imports given by hand. */
function load(): { createTextToolset(): tools.ToolsetHost } {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const modules: Record<string, unknown> = { zod, '../define-tool.js': tools };
  const exported = {};
  new Function('exports', 'require', outputText)(exported, (name: string) => modules[name]);
  return exported as { createTextToolset(): tools.ToolsetHost };
}

describe('the local tool in README.md', () => {
  it('is about ten lines of code', () => {
    expect(
      code
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '').length,
    ).toBeLessThanOrEqual(11);
  });

  it('passes the type check in its place', () => {
    expect(typeCheck()).toEqual([]);
  }, 60_000);

  it('runs', async () => {
    const [reverse] = load().createTextToolset().tools();
    const context = {
      toolCallId: 'call_0123456789abcdefghijAB',
      conversationId: 'c',
      userId: 'local',
      attempt: 1,
    };
    const result = await reverse!.run(
      { text: 'abc' },
      {
        ...context,
        signal: new AbortController().signal,
        deadline: Date.now() + 5_000,
        progress: () => undefined,
        attach: () => Promise.reject(new Error('nothing to attach')),
      },
    );
    expect(result).toMatchObject({ status: 'success', data: { text: 'cba' } });
  });
});
