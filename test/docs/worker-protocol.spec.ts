import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  bodySchemas,
  ERROR_TYPES,
  LEDGER_TYPES,
  MAX_DEPTH,
  MAX_MESSAGE_BYTES,
  resultStatusSchema,
  toolClassSchema,
} from '#contracts';
import { toolsQueue } from '#messaging';
import type { Tool } from '#tools';
import { BEAT_INTERVAL_MS, MAX_BEAT_GAP_MS } from '../../libs/bootstrap/liveness-rules.js';
import {
  groupControlExchange,
  ledgerExchange,
  REQUEST_LIFE_MS,
} from '../../libs/messaging/port/ledger-topology.js';
import { controlQueue } from '../../libs/messaging/port/topology.js';
import { readPublished } from '../contracts/published-validator.js';
import { CONTROL_OF_WORKERS, SENT_BY_WORKERS } from '../contracts/worker-messages.js';
import {
  codeBlocks,
  codeSpans,
  firstCells,
  headingsOf,
  prose,
  readDocument,
  root,
  section,
} from './documents.js';

const text = readDocument('docs/worker-protocol.md');
const words = prose(text).replace(/\s+/g, ' ');
const spans = new Set(codeSpans(text));
/** As the bus has them, without what only orchestrators decide. */
const ERRORS_OF_WORKERS = ERROR_TYPES.filter((type) => !['ToolNotFound', 'OutcomeUnknown'].includes(type));

const cells = (heading: string) => firstCells(section(text, heading)).map((cell) => cell.slice(1, -1));

describe('docs/worker-protocol.md', () => {
  it('names every message of a worker', () => {
    const missing = [...SENT_BY_WORKERS, ...CONTROL_OF_WORKERS].filter((type) => !spans.has(type));
    expect(missing).toEqual([]);
  });

  it('names no message that does not exist', () => {
    const named = [...spans].filter((span) => /^(ledger|tool|catalog)\.[a-z_]+$/.test(span));
    const known = [...Object.keys(bodySchemas), 'ledger.all'];
    expect(named.filter((type) => !known.includes(type))).toEqual([]);
    expect(named.length).toBeGreaterThan(LEDGER_TYPES.length);
  });

  it('has a row for each control message and each class', () => {
    expect(cells('## Control messages').sort()).toEqual([...CONTROL_OF_WORKERS].sort());
    expect(cells('## Classes')).toEqual(toolClassSchema.options);
  });

  it('names the queues and exchanges as the code does', () => {
    const names = ['<group>'].flatMap((group) => [ledgerExchange(group), groupControlExchange(group)]);
    expect([...names, toolsQueue('<toolset>')].filter((name) => !spans.has(name))).toEqual([]);
    const { name, arguments: limits } = controlQueue({ role: 'worker', processId: 'worker-lab--1' }, 'x');
    expect(name).toBe('worker.lab.1.control.x');
    expect(spans).toContain('worker.<group>.<uuid>.control.<any>');
    expect(words).toContain(`\`x-max-length\` ${limits['x-max-length']}`);
  });

  it('has the limits and times of the code', () => {
    expect(words).toContain(`at most ${MAX_MESSAGE_BYTES / 2 ** 20} MiB and ${MAX_DEPTH} levels deep`);
    expect(words).toContain(`expiration ${REQUEST_LIFE_MS / 1_000} s`);
    expect(words).toContain(`Beat every ${BEAT_INTERVAL_MS / 1_000} s`);
    expect(words).toContain(`began less than ${MAX_BEAT_GAP_MS / 1_000} s ago`);
  });

  it('explains each answer to a claim', () => {
    const schema = JSON.stringify(readPublished('message-ledger.answered'));
    const [, options] = /"claimed":\{"type":"string","enum":(\[[^\]]+\])/.exec(schema)!;
    const answers = JSON.parse(options!) as string[];
    expect(answers.filter((answer) => !spans.has(answer))).toEqual([]);
  });

  it('lists the statuses and the types of errors', () => {
    const listed = [...resultStatusSchema.options, ...ERRORS_OF_WORKERS];
    expect(listed.filter((name) => !spans.has(name))).toEqual([]);
  });

  it('lists the tools of the contract suite with their classes', async () => {
    const file = join(root, 'examples/tool-worker/contract/contract.tool.mjs');
    const { default: tools } = (await import(file)) as { default: Tool[] };
    const rows = section(text, '## The contract suite').matchAll(/^\| (`.+`) +\| ([a-z, ]+?) +\|/gm);
    const documented = [...rows].flatMap(([, names, classes]) => {
      const classOf = classes!.split(', ');
      return names!.split(', ').map((name, index) => [name.slice(1, -1), classOf[index] ?? classOf[0]]);
    });
    const defined = tools.map(({ definition }) => [definition.own_name, definition.class]);
    expect(documented.sort()).toEqual(defined.sort());
  });
});

describe('examples/python-worker/README.md', () => {
  const readme = readDocument('examples/python-worker/README.md');

  it('shows the tool of weather.py', () => {
    const [example] = codeBlocks(readme, 'python');
    expect(readDocument('examples/python-worker/weather.py')).toContain(example!.code);
  });

  it('is linked from the protocol', () => {
    expect(text).toContain('../examples/python-worker/README.md');
    expect(headingsOf(readme)).toContain('Run the contract suite');
  });
});
