// What `npm run package:tool-worker` packs: packages/tool-worker/dist, from what `npm run build` compiled. Packages stay
// packages, Switchyard's own code and types become a few files without `#` imports.
import { existsSync, readFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { dist, root } from './build-state.mjs';

const target = join(root, 'packages', 'tool-worker');
const command = 'switchyard-tool-worker';
const programs = {
  index: 'apps/tool-worker/group/create-tool-worker.js',
  tools: 'libs/tools/author.js',
  [command]: 'apps/tool-worker/group/main.js',
  // Found by the code that starts the thread, so it keeps its name.
  'check-thread': 'libs/tools/check-thread.js',
};
const declarations = {
  index: 'apps/tool-worker/group/create-tool-worker.d.ts',
  tools: 'libs/tools/author.d.ts',
};
/** A worker of a group has none of it; its checklist needs the forms in which providers take schemas. */
const foreign =
  /^(apps\/(?!tool-worker\/)|libs\/(llm\/(?!(port|schemas)\/)|store\/(?!port\/)|ledger\/(server|store-ledger)\/))/;

const { version } = readJson(join(root, 'package.json'));
const bundled = join(target, 'dist');
await rm(bundled, { recursive: true, force: true });
const imported = new Set([
  ...(await bundle(programs, [fixValues(), readSources()], {
    sourcemap: true,
    keepNames: true,
    banner: ({ name }) => (name === command ? '#!/usr/bin/env node' : ''),
  })),
  ...(await bundle(
    declarations,
    [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false }), keepTypes()],
    {},
  )),
]);
await chmod(join(bundled, `${command}.js`), 0o755);
checkDependencies();

/** Writes the files, and returns the packages that it imports. */
async function bundle(entries, plugins, output) {
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(dist, file)]));
  const build = await rolldown({
    input,
    platform: 'node',
    external: (id) => !/^[./#]/.test(id),
    plugins,
    // Our modules do nothing when they are loaded, but for entries: what nobody imports from them stays out.
    treeshake: { moduleSideEffects: (_id, isExternal) => isExternal },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  const { output: files } = await build.write({ ...output, dir: bundled, format: 'esm' });
  await build.close();
  const chunks = files.filter(({ type }) => type === 'chunk');
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds).map((id) => id.slice(dist.length + 1));
  const wrong = modules.filter((path) => foreign.test(path));
  if (wrong.length > 0) throw new Error(`The worker's package must not need ${wrong.join(', ')}.`);
  const names = new Set(files.map(({ fileName }) => fileName));
  return chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((id) => !names.has(id) && !isBuiltin(id))
    .map((id) => /^(@[^/]+\/)?[^/]+/.exec(id)[0]);
}

/** What is different here: the repository's modules ask the package `switchyard`, and name its documents. */
function fixValues() {
  const fixed = {
    'libs/observability/version.js': { VERSION: version },
    'libs/bootstrap/config/explained-in.js': {
      SETTINGS_EXPLAINED: 'the README of @switchyard/tool-worker',
      DOCUMENTS_OF: ' of Switchyard',
    },
  };
  const texts = Object.entries(fixed).map(([path, values]) => {
    const lines = Object.entries(values).map(
      ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
    );
    return [join(dist, path), lines.join('\n')];
  });
  const textOf = new Map(texts);
  return { name: 'fix-values', load: (file) => textOf.get(file) ?? null };
}

/** Rolldown's runtime comes along, although types need none. */
function keepTypes() {
  return {
    name: 'keep-types',
    generateBundle(_options, files) {
      for (const name of Object.keys(files)) if (!name.endsWith('.d.ts')) delete files[name];
    },
  };
}

/** Stack traces and debuggers show TypeScript, which is in the maps because it is nowhere else. */
function readSources() {
  return {
    name: 'read-sources',
    load(file) {
      if (!existsSync(`${file}.map`)) return null;
      const map = readJson(`${file}.map`);
      const sources = map.sources.map((source) => resolve(dirname(file), map.sourceRoot ?? '', source));
      const sourcesContent = sources.map((source) => readFileSync(source, 'utf8'));
      return { code: readFileSync(file, 'utf8'), map: { ...map, sources, sourcesContent } };
    },
  };
}

/** In the manifest are the packages that are imported, in the repository's versions. */
function checkDependencies() {
  const { dependencies: ours } = readJson(join(root, 'package.json'));
  const { dependencies } = readJson(join(target, 'package.json'));
  const needed = Object.fromEntries([...imported].sort().map((name) => [name, ours[name]]));
  if (JSON.stringify(dependencies) === JSON.stringify(needed)) return;
  throw new Error(
    `The dependencies in packages/tool-worker/package.json are not what the worker imports. Write there:\n${JSON.stringify(needed, null, 2)}`,
  );
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
