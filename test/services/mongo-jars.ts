import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './child.js';

const project = fileURLToPath(new URL('../..', import.meta.url));
const source = fileURLToPath(new URL('./mongo-server/MongoServer.java', import.meta.url));
const pom = fileURLToPath(new URL('./mongo-server/pom.xml', import.meta.url));
const cache = join(project, '.cache', 'mongo-java-server');

/** Why the server cannot be started on this machine, or undefined when it can. */
export function findMongoObstacle(): string | undefined {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  if (version < 17) return 'no java 17 or newer';
  if (existsSync(findCacheDirectory())) return undefined;
  if (spawnSync('javac', ['-version']).status !== 0)
    return 'no javac (a JDK is needed, a JRE does not compile)';
  return spawnSync('mvn', ['--version']).status === 0 ? undefined : 'no mvn to fetch mongo-java-server with';
}

/** Class path of the compiled launcher and its jars; fetched and compiled once, then kept in `.cache`. */
export async function prepareMongoClassPath(): Promise<string> {
  const directory = findCacheDirectory();
  if (!existsSync(directory)) await build(directory);
  return `${join(directory, 'classes')}:${join(directory, 'lib', '*')}`;
}

function findCacheDirectory(): string {
  const hash = createHash('sha256').update(readFileSync(source)).update(readFileSync(pom));
  return join(cache, hash.digest('hex').slice(0, 12));
}

/** Built next to its place and renamed into it: of two builders at once, one wins and none sees half a cache. */
async function build(directory: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  const options = { env: { ...process.env } as Record<string, string>, cwd: project };
  const jars = join(draft, 'lib');
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`, '-DincludeScope=runtime'];
  try {
    await runCommand('mvn', ['--quiet', '--batch-mode', '--file', pom, ...goal], options);
    await runCommand('javac', ['-cp', join(jars, '*'), '-d', join(draft, 'classes'), source], options);
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(directory)) throw error;
  }
}
