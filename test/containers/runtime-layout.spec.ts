import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtFolder } from '../services/built.js';
import { runCommand } from '../services/child.js';
import { startProcess } from '../services/processes.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the last stage of the Dockerfile copies; the build machines have no Docker daemon to build it with. */
async function readRuntimeFiles(): Promise<string[]> {
  const stages = (await readFile(join(root, 'Dockerfile'), 'utf8')).split(/^FROM /m);
  return [...stages.at(-1)!.matchAll(/^COPY --from=\w+ \/app\/(\S+)/gm)].map(([, file]) => file!);
}

describe('the files of the image', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'switchyard-layout-'));
    const files = await readRuntimeFiles();
    expect(files).toEqual(['node_modules', 'package.json', 'sbom.cdx.json', 'dist']);
    const app = join(directory, 'app');
    await mkdir(app);
    const copied = ['package.json', 'package-lock.json', '.npmrc'].map((file) => join(root, file));
    for (const file of [...copied, builtFolder]) {
      await cp(file, join(app, basename(file)), { recursive: true });
    }
    const install = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-progress'];
    await runCommand('npm', install, {
      cwd: app,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    await rm(join(app, 'package-lock.json'));
  }, 240_000);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test('are enough to serve the page, to become ready and to drain', async () => {
    const env = { NODE_ENV: 'production', DATA_DIR: join(directory, 'data') };
    const standalone = await startProcess('standalone', env, { directory: join(directory, 'app') });
    const page = await fetch(standalone.url);
    expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({
      status: 200,
      type: expect.stringContaining('text/html'),
    });
    expect(await standalone.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  }, 60_000);
});
