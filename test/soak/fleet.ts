import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { startedChildren } from '../services/child.js';
import { findFreePorts } from '../services/free-port.js';
import { startProcess, type SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { FILES, type Complaint, type LifeEvent, type MemorySample } from './evidence.js';
import type { Recorder } from './recorder.js';

export type Kind = 'gateway' | 'orchestrator' | 'tool-worker';

const READY_MS = 90_000;
const PROCESS_ID = /"process":"((?:gateway|orchestrator|worker)-[0-9a-f-]+)"/;
const PAGE_BYTES = 4096;
const APPROVAL_MS = 30_000;
const serverScript = fileURLToPath(new URL('./trace-server.mjs', import.meta.url));

/** One process among several of its kind: it dies and is started again at the same address. */
export interface Place {
  name: string;
  kind: Kind;
  env: Record<string, string>;
  port: number;
  /** Undefined while it is down or starting. */
  running: Member | undefined;
}

export interface Member {
  process: SwitchyardProcess;
  processId: string;
  bornAt: number;
  /** Somebody is doing something to it. */
  isBusy: boolean;
}

export interface FleetOptions {
  recorder: Recorder;
  sizes: Record<Kind, number>;
  /** Of every process: broker, store, model. */
  env: Record<string, string>;
  tracePath: string;
}

/** The processes of a soak, each started from `dist` with the configuration that people use. */
export class Fleet {
  readonly places: Place[] = [];
  private isClosing = false;

  private constructor(private readonly recorder: Recorder) {}

  static async start({ recorder, sizes, env, tracePath }: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(recorder);
    const config = writeSettings(recorder.folder);
    const mcpConfig = writeMcpConfig(recorder.folder, tracePath);
    const kinds = Object.entries(sizes).flatMap(([kind, size]) => Array<Kind>(size).fill(kind as Kind));
    const ports = await findFreePorts(kinds.length);
    for (const [at, kind] of kinds.entries()) {
      const number = fleet.of(kind).length + 1;
      const own: Record<string, string> =
        kind === 'tool-worker' ? { MCP_CONFIG: mcpConfig, TOOLSETS: 'trace' } : {};
      fleet.places.push({
        name: `${kind}-${number}`,
        kind,
        env: { ...env, CONFIG: config, ...own },
        port: ports[at]!,
        running: undefined,
      });
    }
    await Promise.all(fleet.places.map((place) => fleet.bear(place)));
    return fleet;
  }

  of(kind: Kind): Place[] {
    return this.places.filter((place) => place.kind === kind);
  }

  gatewayUrls(): string[] {
    return this.of('gateway').map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Starts the place's process and waits until it takes work; tries again for as long as it cannot start. */
  async bear(place: Place): Promise<void> {
    while (!this.isClosing && !place.running) {
      let process: SwitchyardProcess | undefined;
      try {
        process = await startProcess(
          place.kind,
          { ...place.env, PORT: String(place.port) },
          { readyTimeoutMs: READY_MS },
        );
        await this.welcome(place, process);
      } catch (error) {
        // The broker or the store may be down: a process that cannot start says so and ends.
        await process?.kill();
        this.record({ at: Date.now(), what: 'stillborn', place: place.name, reason: textOf(error) });
        await delay(500);
      }
    }
  }

  /** SIGKILL, or SIGTERM to let it drain. Resolves when it is gone. */
  async end(place: Place, by: 'kill' | 'drain'): Promise<void> {
    const member = place.running;
    if (!member) return;
    place.running = undefined;
    // Before the signal: whatever others see of its death comes later.
    this.record({ at: Date.now(), what: 'died', place: place.name, process_id: member.processId, by });
    await member.process.kill(by === 'kill' ? 'SIGKILL' : 'SIGTERM');
  }

  /** The end of the run is nobody's death. */
  async close(): Promise<void> {
    this.isClosing = true;
    const members = this.places.map(({ running }) => running);
    for (const place of this.places) place.running = undefined;
    await Promise.all(members.map((member) => member?.process.kill()));
  }

  /** What each living process holds in memory. */
  sampleMemory(): void {
    for (const { kind, running } of this.places) {
      if (!running) continue;
      const rss = readRss(running.process.pid);
      if (rss === undefined) continue;
      const sample: MemorySample = {
        at: Date.now(),
        kind,
        process_id: running.processId,
        rss_bytes: rss,
      };
      this.recorder.record(FILES.memory, sample);
    }
  }

  record(event: LifeEvent): void {
    this.recorder.record(FILES.lives, event);
  }

  private async welcome(place: Place, process: SwitchyardProcess): Promise<void> {
    // The line may arrive after the answer that it is ready.
    const processId = await waitFor(() => PROCESS_ID.exec(process.log)?.[1], {
      what: `the id of ${place.name}`,
      timeoutMs: READY_MS,
    });
    const member = { process, processId, bornAt: Date.now(), isBusy: false };
    place.running = member;
    this.record({
      at: Date.now(),
      what: 'born',
      place: place.name,
      process_id: processId,
      pid: process.pid,
    });
    void process.exit.then(() => this.bury(place, member));
  }

  private bury(place: Place, member: Member): void {
    const { process, processId } = member;
    for (const line of process.log.split('\n')) {
      if (!/"level":"(error|fatal)"|uncaught|unhandled/i.test(line)) continue;
      const complaint: Complaint = { process_id: processId, line: line.slice(0, 2_000) };
      this.recorder.record(FILES.complaints, complaint);
    }
    const at = startedChildren.findIndex((child) => child.pid === process.pid);
    if (at >= 0) startedChildren.splice(at, 1);
    if (place.running !== member) return;
    place.running = undefined;
    this.record({ at: Date.now(), what: 'died', place: place.name, process_id: processId, by: 'itself' });
    const last = process.log.slice(-2_000);
    this.recorder.record(FILES.complaints, { process_id: processId, line: `ended by itself: ${last}` });
    void this.bear(place);
  }
}

function writeSettings(folder: string): string {
  const classes = { read: 'read', repeat: 'idempotent', keyed: 'keyed', once: 'once' };
  const tools: [string, object][] = Object.entries(classes).map(([name, toolClass]) => [
    `trace.${name}`,
    { class: toolClass },
  ]);
  tools.push(['trace.asked', { class: 'once', approve: 'always' }]);
  const settings = {
    limits: { connections_per_minute: 100_000, messages_per_minute: 100_000, turns_at_once: 10_000 },
    drain: { grace_ms: 3_000 },
    // Nobody answers for a message whose sender never learned that it was taken.
    deadlines: { approval_hours: APPROVAL_MS / 3_600_000 },
    tools: Object.fromEntries(tools),
  };
  return writeJson(join(folder, 'switchyard.json'), settings);
}

function writeMcpConfig(folder: string, tracePath: string): string {
  const trace = { command: process.execPath, args: [serverScript], env: { TRACE_FILE: tracePath } };
  return writeJson(join(folder, 'mcp.json'), { mcpServers: { trace } });
}

function writeJson(path: string, value: object): string {
  writeFileSync(path, JSON.stringify(value, null, 2));
  return path;
}

/** Linux only; undefined elsewhere, and for a process that has just ended. */
function readRss(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
