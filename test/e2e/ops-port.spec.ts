import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../services/free-port.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { removeFolders, startStandalone } from './standalone-process.js';

const PATHS = ['/health/live', '/health/ready', '/metrics'];

describe('health and metrics of a gateway', () => {
  let running: SwitchyardProcess;
  afterEach(() => running?.kill());
  afterAll(removeFolders);

  const statuses = (url: string) => Promise.all(PATHS.map(async (path) => (await fetch(url + path)).status));

  test('are at OPS_PORT alone if it is set', async () => {
    const OPS_PORT = String(await findFreePort());
    running = await startStandalone({ OPS_PORT });
    const opsUrl = `http://127.0.0.1:${OPS_PORT}`;
    expect(await statuses(opsUrl)).toEqual([200, 200, 200]);
    expect(await (await fetch(`${opsUrl}/metrics`)).text()).toMatch(/^switchyard_sockets 0$/m);
    expect((await fetch(`${opsUrl}/api/tools`)).status).toBe(404);
    expect(await statuses(running.url)).toEqual([404, 404, 404]);
    const missing = await fetch(`${running.url}/metrics`);
    expect([missing.headers.get('content-type'), await missing.json()]).toEqual([
      expect.stringContaining('json'),
      expect.objectContaining({ status: 404, code: 'not_found' }),
    ]);
  });

  test('are without metrics where other machines reach the port', async () => {
    running = await startStandalone({ AUTH: 'local', HOST: '0.0.0.0' });
    expect(await statuses(running.url)).toEqual([200, 200, 404]);
    expect(running.log).toMatch(/metrics is hidden.*OPS_PORT/);
  });
});
