import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import { Viewer } from '../test/e2e/viewer.js';
import { say, useTools } from '../test/fakes/messages-reply.js';
import { startStrictMessagesApi, type MessagesBody } from '../test/fakes/strict-messages-api.js';
import { startProcess, type ProcessKind, type SwitchyardProcess } from '../test/services/processes.js';
import { waitFor } from '../test/services/wait-for.js';

type Kind = Exclude<ProcessKind, 'standalone'>;
type Environment = Record<string, string>;

/** Whoever is younger than 10 s needs longer to suspect somebody. */
const SETTLED_MS = 11_000;
const CHUNK_DELAY_MS = 50;
/** A step that streams for a minute, so that every kill finds it streaming. */
const LONG_ANSWER = Array.from({ length: 1_200 }, (_, i) => `${i} `);
const SETTINGS = {
  limits: { connections_per_minute: 100_000, messages_per_minute: 100_000, turns_at_once: 10_000 },
};

export type ToolUse = [name: string, input: Record<string, unknown>];

export interface FleetOptions {
  rabbitmqUrl: string;
  mongodbUrl: string;
  counts: Record<Kind, number>;
  worker: Environment;
  /** Steps with this call come before the long answer. */
  toolSteps: number;
  /** Nobody waits until they are old enough to suspect each other at once. */
  isYoung?: boolean;
  /** Read anew for each turn. */
  toolUse: () => ToolUse;
}

/** An installation large enough that one process after another can be killed and none needs to be started again. */
export class RecoveryFleet {
  private constructor(
    readonly store: Store,
    private readonly processes: SwitchyardProcess[],
    private readonly create: (kind: Kind) => Promise<SwitchyardProcess>,
    private readonly close: () => Promise<unknown>,
  ) {}

  static async start(options: FleetOptions): Promise<RecoveryFleet> {
    const { rabbitmqUrl, mongodbUrl, counts } = options;
    const provider = await startStrictMessagesApi({ script: (body) => reply(body, options) });
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
    const config = join(folder, 'switchyard.json');
    await writeFile(config, JSON.stringify(SETTINGS));
    const shared = {
      RABBITMQ_URL: rabbitmqUrl,
      MONGODB_URL: mongodbUrl,
      CONFIG: config,
      MODEL: 'anthropic/claude-sonnet-5-5',
      ANTHROPIC_API_KEY: 'sk-ant-bench-0123456789',
      ANTHROPIC_BASE_URL: provider.url,
    };
    const store = createStore({ ...systemTime(), url: mongodbUrl });
    await store.open();
    const create = (kind: Kind) =>
      startProcess(kind, { ...shared, ...(kind === 'tool-worker' ? options.worker : {}) });
    const processes: SwitchyardProcess[] = [];
    for (const [kind, count] of Object.entries(counts) as [Kind, number][]) {
      for (let i = 0; i < count; i++) processes.push(await create(kind));
    }
    if (!options.isYoung) await delay(SETTLED_MS);
    return new RecoveryFleet(store, processes, create, async () => {
      await store.close();
      await provider.close();
      await rm(folder, { recursive: true });
    });
  }

  gateways(): SwitchyardProcess[] {
    return this.processes.filter(({ kind, isRunning }) => kind === 'gateway' && isRunning);
  }

  view(gateway = this.gateways()[0]!): Promise<Viewer> {
    return Viewer.connect(gateway.url);
  }

  /** One more process, as an operator's supervisor starts one for one that has died. */
  async replace({ kind }: SwitchyardProcess): Promise<void> {
    this.processes.push(await this.create(kind as Kind));
  }

  /** The process with the newest claim on a turn or a call. */
  async ownerOf(workId: string): Promise<SwitchyardProcess> {
    const owner = (await this.store.listClaims(workId)).at(-1)?.owner;
    const found = this.processes.find(({ log }) => owner !== undefined && log.includes(owner));
    if (!found) throw new Error(`nobody has claimed ${workId}`);
    return found;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.filter(({ isRunning }) => isRunning).map((one) => one.kill()));
    await this.close();
  }
}

/** Resolves within some milliseconds of the moment when `happened` is true first. */
export async function until(what: string, happened: () => unknown, timeoutMs = 60_000): Promise<void> {
  await waitFor(happened, { what, timeoutMs, intervalMs: 2 });
}

/** Tool steps first, by how many results the turn has already; then the long answer. */
function reply({ messages }: MessagesBody, { toolSteps, toolUse }: FleetOptions) {
  const lastQuestion = messages.findLastIndex(
    ({ role, content }) => role === 'user' && !JSON.stringify(content).includes('"tool_result"'),
  );
  const steps = messages.slice(lastQuestion).filter(({ role }) => role === 'assistant').length;
  if (steps >= toolSteps) return { ...say(...LONG_ANSWER), eventDelayMs: CHUNK_DELAY_MS };
  return useTools([`toolu_${messages.length}`, ...toolUse()]);
}
