import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { judge, type Expected } from './judge.js';

/*
 * `npm run conformance`: the client scenarios of the MCP conformance suite against libs/mcp, both requirement sets.
 * The suite needs Node 24 and is fetched into .cache, together with one. Words choose scenarios.
 */
const SUITE = '@modelcontextprotocol/conformance';
const SUITE_VERSION = '0.2.0-alpha.12';
const REVISIONS = ['2025-11-25', '2026-07-28'];
/** The suite's own runner starts all at once, which two cores do not bear. */
const AT_ONCE = 2;
const SCENARIO_TIMEOUT_MS = 60_000;

const root = join(import.meta.dirname, '../..');
const cache = join(root, '.cache/conformance');
const suite = join(cache, 'node_modules', SUITE);
const nodePackage = `node-linux-${arch() === 'arm64' ? 'arm64' : 'x64'}`;
const words = process.argv.slice(2);

fetchSuite();
const expected = parse(readFileSync(join(import.meta.dirname, 'expected-failures.yml'), 'utf8')) as Record<
  string,
  Expected
>;
let surprises = 0;
for (const revision of REVISIONS) surprises += await runSet(revision);
console.log(surprises === 0 ? 'All as expected.' : `${surprises} surprises.`);
process.exit(surprises === 0 ? 0 : 1);

function fetchSuite(): void {
  if (existsSync(suite)) return;
  const packages = [`${SUITE}@${SUITE_VERSION}`, `${nodePackage}@24`];
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-progress', '--prefix', cache];
  const { status } = spawnSync('npm', ['install', ...options, ...packages], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The conformance suite could not be fetched.');
}

/** Resolves to the number of scenarios that did not end as expected. */
async function runSet(revision: string): Promise<number> {
  console.log(`\n=== ${revision}`);
  const file = readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8');
  const { client } = parse(file) as { client: string[] };
  const left = client.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  let surprised = 0;
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const verdict = judge(name, await passes(name, revision), expected[revision] ?? {});
      console.log(`${verdict.isSurprise ? '!!' : '  '} ${name}: ${verdict.text}`);
      if (verdict.isSurprise) surprised++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return surprised;
}

function passes(scenario: string, revision: string): Promise<boolean> {
  const register = join(root, 'scripts/typescript-register.mjs');
  const client = join(root, 'test/conformance/client.ts');
  const command = `${process.execPath} --import ${register} --conditions=switchyard-source ${client}`;
  const options = {
    '--command': command,
    '--scenario': scenario,
    '--spec-version': revision,
    '--timeout': String(SCENARIO_TIMEOUT_MS),
    '--output-dir': join(root, 'test-results/conformance', revision),
  };
  const args = [join(suite, 'dist/index.js'), 'client', ...Object.entries(options).flat()];
  const child = spawn(join(cache, 'node_modules', nodePackage, 'bin/node'), args, { stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code === 0)));
}
