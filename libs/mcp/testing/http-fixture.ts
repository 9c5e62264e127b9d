import { spawn, type ChildProcess } from 'node:child_process';
import type { McpHttpServer } from '../config/mcp-config.js';
import { SERVER_DEFAULTS } from './fixture.js';

const children: ChildProcess[] = [];

export function httpServer(port: number, overrides: Partial<McpHttpServer> = {}): McpHttpServer {
  return {
    name: 'remote',
    url: `http://127.0.0.1:${port}/mcp`,
    headers: {},
    ...SERVER_DEFAULTS,
    ...overrides,
  };
}

/** Resolves when the server reports on stderr that it listens. */
export async function startHttpServer(
  port: number,
  args: string[],
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    // Keeps reading: a closed pipe would end the server.
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-1000);
      if (said.includes('listening')) resolve();
    });
    child.once('exit', () => reject(new Error(`The server did not start: ${said}`)));
  });
  return child;
}

export function killHttpServers(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL');
}
