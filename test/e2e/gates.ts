import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolClass } from '#contracts';
import { waitFor } from '../services/wait-for.js';

const serverScript = fileURLToPath(new URL('./fixtures/gate-server.mjs', import.meta.url));

/** Tools that run until the test opens their gate, and that write down each start. */
export class Gates {
  private constructor(private readonly folder: string) {}

  static async create(): Promise<Gates> {
    return new Gates(await mkdtemp(join(tmpdir(), 'switchyard-gates-')));
  }

  /** An `mcp.json` whose servers have the tool `hold`, one server for each name, of the class it is given. */
  async mcpConfig(classes: Record<string, ToolClass>): Promise<string> {
    const servers = Object.entries(classes).map(([name, toolClass]) => [
      name,
      {
        command: process.execPath,
        args: [serverScript],
        env: { GATE_FOLDER: this.folder },
        class: toolClass,
      },
    ]);
    const path = join(this.folder, `${Object.keys(classes).join('-')}.mcp.json`);
    await writeFile(path, JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
    return path;
  }

  open(name: string): void {
    writeFileSync(join(this.folder, `${name}.go`), '');
  }

  /** How often a tool has begun to hold under this name. */
  starts(name: string): number {
    return this.count(`${name}.starts`);
  }

  /** Process ids of the servers that it began to hold in, in order. */
  servers(name: string): number[] {
    return this.lines(`${name}.starts`).map(Number);
  }

  /** The `traceparent` with which each start was asked for. */
  traceparents(name: string): string[] {
    return this.lines(`${name}.traceparents`);
  }

  /** How often it was told to stop. */
  cancels(name: string): number {
    return this.count(`${name}.cancels`);
  }

  started(name: string, times = 1): Promise<unknown> {
    return waitFor(() => this.starts(name) >= times, {
      what: `start ${times} of ${name}`,
      timeoutMs: 20_000,
    });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private count(file: string): number {
    return existsSync(join(this.folder, file)) ? this.lines(file).length : 0;
  }

  private lines(file: string): string[] {
    return readFileSync(join(this.folder, file), 'utf8').split('\n').slice(0, -1);
  }
}
