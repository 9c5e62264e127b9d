import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFolder } from './built.js';
import { runCommand } from './child.js';

const repository = join(builtFolder, '..');
const packed = join(repository, 'packages/tool-worker');
const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };

/** `@switchyard/tool-worker` in a folder of another team, outside of this repository. */
export interface InstalledWorker {
  folder: string;
  /** The command of the package. */
  command: string;
  remove(): Promise<void>;
}

/** As a release makes it; the file lies in `folder`. */
export async function packToolWorker(folder: string): Promise<string> {
  await runCommand('npm', ['pack', packed, '--pack-destination', folder], { cwd: repository, env });
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
}

/** Needs the registry, or npm's cache. */
export async function installToolWorker(): Promise<InstalledWorker> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-installed-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const file = await packToolWorker(folder);
  const quickly = ['--prefer-offline', '--no-audit', '--no-fund', '--no-progress'];
  await runCommand('npm', ['install', ...quickly, file], { cwd: folder, env });
  return {
    folder,
    command: join(folder, 'node_modules/.bin/switchyard-tool-worker'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A file of tools as a team writes it that has the package and not the repository. */
export function withPackageImports(path: string): string {
  return readFileSync(path, 'utf8').replaceAll("'switchyard/tools'", "'@switchyard/tool-worker/tools'");
}
