// `npm run build`: TypeScript and its assets into dist/, what people start into dist/bin, the web page into
// dist/apps/web. Unchanged parts are skipped.
import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { rolldown } from 'rolldown';
import {
  dist,
  fingerprint,
  isUpToDate,
  listFiles,
  listServerSources,
  markBuilt,
  root,
  web,
} from './build-state.mjs';

/** What is started, by the name of its file in dist/bin. */
const programs = {
  standalone: 'apps/standalone/main.js',
  gateway: 'apps/gateway/main.js',
  orchestrator: 'apps/orchestrator/main.js',
  'tool-worker': 'apps/tool-worker/main.js',
  token: 'apps/gateway/token.main.js',
  switchyard: 'apps/command-line/main.js',
};
/** A native module, and a driver that looks for optional packages by itself. */
const unbundled = ['libsql', 'mongoose'];
const WORTH_ENCODING = 0.9;
const sources = await listServerSources();
await buildWhenChanged('server', buildServer);
if (existsSync(join(web, 'vite.config.ts'))) {
  await buildWhenChanged('web', buildWeb);
} else {
  console.log('build: web skipped, apps/web/vite.config.ts does not exist');
}

async function buildWhenChanged(part, build) {
  if (await isUpToDate(part)) {
    console.log(`build: ${part} is up to date`);
    return;
  }
  const stamp = await fingerprint(part);
  const startedAt = Date.now();
  await build();
  await markBuilt(part, stamp);
  console.log(`build: ${part} took ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

async function buildServer() {
  await removeOrphans();
  await run(packageFile('typescript', 'bin/tsc'), ['--project', 'tsconfig.build.json']);
  const isAsset = (file) => /^libs\/.*\/documents\//.test(file) || /^apps\/standalone\/.*\.md$/.test(file);
  for (const file of sources.filter(isAsset)) await cp(join(root, file), join(dist, file));
  await bundlePrograms();
}

/** Opening some 1,500 small files takes most of the time of a start; in a few large ones it takes a third of it. */
async function bundlePrograms() {
  const bin = join(dist, 'bin');
  await rm(bin, { recursive: true, force: true });
  const input = Object.fromEntries(Object.entries(programs).map(([name, main]) => [name, join(dist, main)]));
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: unbundled,
    plugins: [keepPlaces(bin)],
    // Nothing is optimised away, here and below: a call whose result nobody uses may still throw.
    treeshake: false,
    onLog: refuseWarning,
  });
  await bundle.write({
    dir: bin,
    format: 'esm',
    // The package's command.
    banner: ({ name }) => (name === 'switchyard' ? '#!/usr/bin/env node' : ''),
    sourcemap: true,
    chunkFileNames: '[name]-[hash].js',
    keepNames: true,
    minify: false,
  });
  await bundle.close();
  await chmod(join(bin, 'switchyard.js'), 0o755);
}

/** Packages look for optional ones that are not installed; anything else would show only when a program runs. */
function refuseWarning(level, { code, message }) {
  if (level !== 'warn' || (code === 'UNRESOLVED_IMPORT' && message.includes(' in node_modules/'))) return;
  throw new Error(message);
}

/** A module that finds files next to it finds them next to its own file, not next to the bundle. */
function keepPlaces(bin) {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(dist) || !code.includes('import.meta.url')) return null;
      const place = JSON.stringify(relative(bin, id).split(sep).join('/'));
      return {
        code: code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`),
        map: null,
      };
    },
  };
}

async function buildWeb() {
  const outDir = join(dist, 'apps', 'web');
  await run(packageFile('vite', 'bin/vite.js'), [
    'build',
    web,
    '--outDir',
    outDir,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ]);
  await compress(outDir);
}

/** For the gateway, which sends these to browsers that read them; what hardly shrinks is sent as it is. */
async function compress(folder) {
  const texts = (await listFiles(relative(root, folder))).filter((file) => /\.(js|css|html|svg)$/.test(file));
  const settings = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  for (const file of texts) {
    const content = await readFile(join(root, file));
    const encoded = {
      '.br': await promisify(brotliCompress)(content, settings),
      '.gz': await promisify(gzip)(content, { level: 9 }),
    };
    for (const [ending, bytes] of Object.entries(encoded))
      if (bytes.length < content.length * WORTH_ENCODING) await writeFile(join(root, file + ending), bytes);
  }
}

/** What was compiled from a source that is gone would still be found by imports and by the tests of the layout. */
async function removeOrphans() {
  const known = new Set(sources);
  const outputs = [
    ...(await listFiles('dist/libs')),
    ...(await listFiles('dist/apps', join(dist, 'apps', 'web'))),
  ];
  for (const output of outputs) {
    const source = output.slice('dist/'.length).replace(/\.(d\.ts|js(\.map)?)$/, '.ts');
    if (!known.has(source)) await rm(join(root, output));
  }
}

function packageFile(name, file) {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), file);
}

async function run(script, scriptArguments) {
  const child = spawn(process.execPath, [script, ...scriptArguments], { cwd: root, stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) process.exit(1);
}
