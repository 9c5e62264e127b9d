import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Gates } from '../e2e/gates.js';
import { newFolder, removeFolders, writeSettings } from '../e2e/standalone-process.js';
import { EmbeddedRun } from './embedded-run.js';
import { PLACES, POINTS } from './fault-cases.js';
import { Report } from './report.js';

const CASE_MS = 240_000;
const CLASSES = { acts: 'once', repeats: 'idempotent' } as const;
const SETTINGS = { tools: { 'math.multiply': { approve: true } } };

describe('the standalone process, killed and started again', () => {
  const report = new Report('embedded, SIGKILL and start again');
  let gates: Gates;
  let env: Record<string, string> & { DATA_DIR: string };

  beforeAll(async () => {
    gates = await Gates.create();
    const limits = { connections_per_minute: 100_000, messages_per_minute: 100_000, turns_at_once: 10_000 };
    const CONFIG = await writeSettings('switchyard.json', { ...SETTINGS, limits });
    env = { CONFIG, MCP_CONFIG: await gates.mcpConfig(CLASSES), DATA_DIR: await newFolder() };
  });

  afterAll(async () => {
    report.print();
    await gates.remove();
    await removeFolders();
  });

  for (const point of POINTS) {
    const title = `${point}: ${PLACES[point].then}`;
    it(title, () => report.measure(title, () => new EmbeddedRun(point, env, gates).run()), CASE_MS);
  }
});
