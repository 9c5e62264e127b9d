import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { transform } from '@swc/core';
import { rolldown, type Plugin } from 'rolldown';
import { swcOptions } from '../../scripts/swc-options.mjs';

/** A mistake in a source file: `find` occurs in it exactly once. */
export interface Edit {
  file: string;
  find: string;
  replace: string;
}

const root = resolve(import.meta.dirname, '../..');
const compiled = new Map<string, Promise<string>>();

/**
 * Writes a program of the tests and everything that it loads into one file, which starts in a tenth of the time; with
 * a mistake in it if one is given. Throws if the mistake cannot be made, so that none is thought found that is not there.
 */
export async function bundle(entry: string, outFile: string, edit?: Edit): Promise<void> {
  let isMade = edit === undefined;
  const plugin: Plugin = {
    name: 'compile',
    resolveId(specifier, importer) {
      if (specifier.startsWith('#')) return resolve(root, 'libs', specifier.slice(1), 'index.ts');
      if (!importer?.endsWith('.ts') || !/^\.{1,2}\/.*\.js$/.test(specifier)) return null;
      return resolve(importer, '..', specifier.replace(/\.js$/, '.ts'));
    },
    async load(id) {
      if (!id.endsWith('.ts')) return null;
      if (edit && relative(root, id) === edit.file) {
        isMade = true;
        return { code: await compile(id, change(await readFile(id, 'utf8'), edit)), moduleType: 'js' };
      }
      let known = compiled.get(id);
      if (!known) compiled.set(id, (known = readFile(id, 'utf8').then((source) => compile(id, source))));
      return { code: await known, moduleType: 'js' };
    },
  };
  const built = await rolldown({
    input: entry,
    platform: 'node',
    // Packages are loaded as they are: bundling them again for each mistake would take longer.
    external: (id) => /^[^#./]/.test(id),
    plugins: [plugin],
    treeshake: false,
    onLog: () => undefined,
  });
  await built.write({ file: outFile, format: 'esm', codeSplitting: false, keepNames: true });
  await built.close();
  if (!isMade) throw new Error(`${edit!.file} is no part of the program`);
}

async function compile(filename: string, source: string): Promise<string> {
  const { code } = await transform(source, { ...swcOptions, filename, sourceMaps: 'inline' });
  return code;
}

function change(source: string, { file, find, replace }: Edit): string {
  if (source.split(find).length !== 2) throw new Error(`${file} does not have this exactly once: ${find}`);
  return source.replace(find, () => replace);
}
