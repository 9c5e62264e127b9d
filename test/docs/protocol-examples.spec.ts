import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeFolders, startStandalone } from '../e2e/standalone-process.js';
import { runCommand } from '../services/child.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { codeBlocks, readDocument, root, section } from './documents.js';

const text = readDocument('docs/protocol.md');
const address = 'http://localhost:3000';
const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
const hasShell = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0);
const withShell = hasShell || process.env.REQUIRE_SERVICES === '1' ? it : it.skip;

describe('the examples in docs/protocol.md, run against a real system', () => {
  let standalone: SwitchyardProcess;

  beforeAll(async () => {
    standalone = await startStandalone();
  });

  afterAll(async () => {
    await standalone.kill();
    await removeFolders();
  });

  it('include a JavaScript client that gets its answer', async () => {
    const [client] = codeBlocks(section(text, '## Connecting'), 'js');
    const code = client!.code.replace(address, standalone.url);
    expect(code).not.toBe(client!.code);
    const output = await runCommand('node', ['--input-type=module', '--eval', code], { cwd: root, env });
    expect(output).toContain('[math.add: 42]');
    expect(output).toContain('is complete');
  });

  withShell('every curl line is answered without an error', async () => {
    const lines = codeBlocks(section(text, '## HTTP'), 'sh').map(({ code }) => code);
    const script = lines.join('\n').replaceAll(address, standalone.url);
    // A function of the same name makes each of them fail on a refusal.
    const strict = `set -euo pipefail\ncurl() { command curl --fail "$@"; }\n${script}`;
    const output = await runCommand('bash', ['-c', strict], { cwd: root, env });
    expect(output).toContain('"what is 17 + 25?"');
    expect(output).toContain('"title":"Two sums","policy":"interrupt"');
    expect(output).toContain('"status":"ready"');
  });
});
