import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createProgram } from './program.js';

let server: Server | undefined;
afterEach(() => void server?.close());

const sums = { input_tokens: 1_000, cached_tokens: 10, output_tokens: 200, cost: 0.1 + 0.2 };
const days = { from: '2026-03-01', to: '2026-03-30', is_cut: false };

/** What is printed, and what the gateway was asked. */
async function run(usage: object, ...words: string[]): Promise<{ printed: string; asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(usage));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let printed = '';
  const environment = { SWITCHYARD_TOKEN: 'operator' };
  const program = createProgram({ write: (text) => void (printed += text), environment });
  await program.parseAsync(['--url', url, 'usage', ...words], { from: 'user' });
  return { printed, asked };
}

describe('switchyard usage', () => {
  it('asks for users and models of the default days, and prints a line for each and the total', async () => {
    const rows = [
      { user_id: 'ann', model: 'openai/gpt-6', ...sums },
      { user_id: 'bob', model: 'demo', ...sums, cost: 0 },
    ];
    const { printed, asked } = await run({ ...days, rows, total: { ...sums, input_tokens: 2_000 } });
    expect(asked).toEqual(['/api/admin/usage?by=user%2Cmodel Bearer operator']);
    expect(printed.split('\n')).toEqual([
      'USER   MODEL         INPUT  CACHED  OUTPUT  COST',
      'ann    openai/gpt-6  1000   10      200     0.3',
      'bob    demo          1000   10      200     0',
      'TOTAL                2000   10      200     0.3',
      '',
    ]);
  });

  it('passes days, keys and the user to the gateway', async () => {
    const words = ['--from', '2026-03-01', '--to', '2026-03-02', '--by', 'day', '--user', 'ann&by=user'];
    const { asked } = await run({ ...days, rows: [], total: sums }, ...words);
    expect(asked).toEqual([
      '/api/admin/usage?from=2026-03-01&to=2026-03-02&by=day&user_id=ann%26by%3Duser Bearer operator',
    ]);
  });

  it('prints that no model was used', async () => {
    const { printed } = await run({ ...days, rows: [], total: { ...sums, cost: 0 } });
    expect(printed).toBe('No model was used from 2026-03-01 to 2026-03-30.\n');
  });

  it('prints that there are more rows than were sent', async () => {
    const { printed } = await run({ ...days, is_cut: true, rows: [{ day: days.to, ...sums }], total: sums });
    expect(printed).toMatch(/\nThere are more rows: ask for fewer days or keys\.\n$/);
  });

  it('prints the answer as JSON when asked to', async () => {
    const usage = { ...days, rows: [{ user_id: 'ann', model: 'demo', ...sums }], total: sums };
    expect(JSON.parse((await run(usage, '--json')).printed)).toEqual(usage);
  });
});
