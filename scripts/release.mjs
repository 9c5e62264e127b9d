/*
 * npm run release -- 0.2.0: writes a release into the working tree, commits it and tags it. Nothing is pushed.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WORKER_PACKAGE = 'packages/tool-worker/package.json';
const UNRELEASED = '## Unreleased';
/** What processes of one release leave for those of the next: a rolling upgrade has both. */
const GOLDEN_KINDS = ['messages', 'events', 'records'];

/**
 * The version in package.json, its lock and the package of the worker, the changelog's heading, and the golden messages
 * of this release, which every later one must read. Throws, before anything is written, an error that says what to do.
 */
export function writeRelease(root, version, date) {
  const manifest = readJson(root, 'package.json');
  if (!isLater(version, manifest.version))
    throw new Error(`${version} is not a version after ${manifest.version}: give three numbers like 0.2.0.`);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [, entries] = /^## Unreleased\n([^]*?)(?=^## |$(?![^]))/m.exec(changelog) ?? [];
  if (!entries?.trim()) throw new Error(`CHANGELOG.md has nothing below "${UNRELEASED}": say what changed.`);

  const lock = readJson(root, 'package-lock.json');
  const worker = readJson(root, WORKER_PACKAGE);
  lock.version = lock.packages[''].version = manifest.version = worker.version = version;
  writeJson(root, 'package.json', manifest);
  writeJson(root, WORKER_PACKAGE, worker);
  writeJson(root, 'package-lock.json', lock);
  const heading = `${UNRELEASED}\n\n## ${version} (${date})\n`;
  writeFileSync(join(root, 'CHANGELOG.md'), changelog.replace(`${UNRELEASED}\n`, heading));
  keepGoldenMessages(root, version);
}

function keepGoldenMessages(root, version) {
  const contracts = join(root, 'test/contracts');
  for (const kind of GOLDEN_KINDS)
    cpSync(join(contracts, 'golden', kind), join(contracts, 'released', version, kind), { recursive: true });
}

function isLater(version, than) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return false;
  const [numbers, others] = [version, than].map((text) => text.split('.').map(Number));
  const at = numbers.findIndex((number, index) => number !== others[index]);
  return at >= 0 && numbers[at] > others[at];
}

function readJson(root, file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

function writeJson(root, file, value) {
  writeFileSync(join(root, file), `${JSON.stringify(value, null, 2)}\n`);
}

function main(root, version = '') {
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  if (!existsSync(join(root, '.git'))) throw new Error('A release is made in a git clone.');
  if (git('status', '--porcelain') !== '')
    throw new Error('The working tree has changes: commit them first.');
  writeRelease(root, version, new Date().toISOString().slice(0, 10));
  git('add', '--all');
  git('commit', '--quiet', '--message', `chore(release): ${version}`);
  git('tag', '--annotate', `v${version}`, '--message', `Switchyard ${version}`);
  console.log(`Committed and tagged v${version}. Next: bash .ci/run, git push --follow-tags, the image and the package of the worker:
  docker build --build-arg VERSION=${version} --tag switchyard:${version} .
  npm run package:tool-worker`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main(fileURLToPath(new URL('..', import.meta.url)), process.argv[2]);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
