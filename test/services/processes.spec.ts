import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startProcess, type ProcessOptions } from './processes.js';
import { waitFor } from './wait-for.js';

const program = `
const { createServer } = require('node:http');
if (process.env.FAIL) { console.error('bad configuration'); process.exit(3); }
console.log('environment', Object.keys(process.env).sort().join());
const server = createServer((request, response) => response.writeHead(request.url === '/health/ready' ? 200 : 404).end());
server.listen(process.env.PORT, process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

describe('a process started for a test', () => {
  let options: ProcessOptions;

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'switchyard-processes-'));
    await mkdir(join(directory, 'dist', 'bin'), { recursive: true });
    await writeFile(join(directory, 'dist', 'bin', 'gateway.js'), program);
    options = { directory };
  });
  afterAll(() => rm(options.directory!, { recursive: true }));

  test('has a minimal environment, is ready when returned and drains on SIGTERM', async () => {
    const gateway = await startProcess('gateway', { MODEL: 'demo' }, options);
    // What it printed may be read after what it answered.
    await waitFor(() => gateway.log.includes('environment HOME,HOST,MODEL,PATH,PORT'), { what: 'its words' });
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
    expect(await gateway.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(gateway.isRunning).toBe(false);
  });

  test('answers nothing while frozen and can be killed like that', async () => {
    const gateway = await startProcess('gateway', {}, options);
    gateway.freeze();
    const ask = (signal?: AbortSignal) => fetch(`${gateway.url}/health/ready`, { signal });
    await expect(ask(AbortSignal.timeout(300))).rejects.toThrow();
    gateway.thaw();
    expect((await ask()).status).toBe(200);
    gateway.freeze();
    expect(await gateway.kill()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('that ends instead of becoming ready is reported at once, with its log', async () => {
    await expect(startProcess('gateway', { FAIL: '1' }, options)).rejects.toThrow('bad configuration');
  });
});
