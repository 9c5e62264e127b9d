import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import asyncapi from '@asyncapi/specs';
import { Ajv } from 'ajv';
import ajvFormats from 'ajv-formats';
import { parse } from 'yaml';
import { groupNames, rightsOf } from '#messaging';
import { WORKER_MESSAGES } from '../worker-messages.js';
import { ASYNCAPI_PATH, workerAsyncapi } from './worker-asyncapi.js';
import { CHANNELS } from './worker-channels.js';

type Json = Record<string, unknown>;

const document = parse(readFileSync(ASYNCAPI_PATH, 'utf8')) as Json;
const group = { name: 'lab', toolsets: ['weather'] };

/** The official schema, with that of the AMQP bindings inside. */
const ajv = new Ajv({ strict: false, allErrors: true });
ajvFormats.default(ajv);
const validate = ajv.compile(asyncapi.schemasWithoutId['3.1.0'] as object);
const problemsOf = (given: unknown): unknown[] => (validate(given) ? [] : (validate.errors ?? []));

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref, ...others } = value as Json;
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(others).flatMap(referencesIn)];
}

/** What the reference leads to; undefined if nothing is there. */
function resolve(reference: string): unknown {
  if (!reference.startsWith('#/'))
    return JSON.parse(readFileSync(join(dirname(ASYNCAPI_PATH), reference), 'utf8'));
  const keys = reference.slice(2).split('/');
  return keys.reduce<unknown>((found, key) => (found as Json | undefined)?.[key], document);
}

/** A copy with another value at the path. */
function changed(path: string[], value: unknown): Json {
  const copy = structuredClone(document);
  const holder = path.slice(0, -1).reduce<Json>((found, key) => found[key] as Json, copy);
  holder[path.at(-1)!] = value;
  return copy;
}

const withValues = (text: string): string =>
  text
    .replaceAll('{group}', group.name)
    .replaceAll('{toolset}', 'weather')
    .replaceAll(/\{\w+\}/g, 'x1');

describe('docs/schemas/worker-protocol.asyncapi.yaml', () => {
  it('says what the code does (else: npm run schemas)', () => {
    expect(document).toStrictEqual(JSON.parse(JSON.stringify(workerAsyncapi())));
  });

  it('is a valid document of AsyncAPI, with valid AMQP bindings', () => {
    expect(problemsOf(document)).toEqual([]);
  });

  it.each<[string, string[], unknown]>([
    ['an unknown action', ['operations', 'claim', 'action'], 'publish'],
    ['a kind of channel that AMQP does not have', ['channels', 'control', 'bindings', 'amqp', 'is'], 'topic'],
    [
      'a type of exchange that AMQP does not have',
      ['channels', 'ledgerCalls', 'bindings', 'amqp', 'exchange', 'type'],
      'multicast',
    ],
    [
      'a negative expiration',
      ['components', 'operationTraits', 'request', 'bindings', 'amqp', 'expiration'],
      -1,
    ],
    ['an unknown field', ['channels', 'control', 'queue'], 'x'],
  ])('is judged by a schema that refuses %s', (_case, path, value) => {
    expect(problemsOf(changed(path, value))).not.toEqual([]);
  });

  it('has no reference that leads nowhere', () => {
    const references = [...new Set(referencesIn(document))];
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((reference) => typeof resolve(reference) !== 'object')).toEqual([]);
  });

  it('has an operation for each message, in a channel that carries it', () => {
    const operations = Object.values(document.operations as Record<string, Json>);
    const used = operations.flatMap((operation) => {
      const { $ref: channel } = operation.channel as { $ref: string };
      const own = referencesIn(operation.messages);
      expect(own.filter((message) => !message.startsWith(`${channel}/`))).toEqual([]);
      return [...own, ...referencesIn((operation.reply as Json | undefined)?.messages)];
    });
    const types = new Set(used.map((reference) => reference.split('/').at(-1)));
    expect([...types].sort()).toEqual([...WORKER_MESSAGES].sort());
  });

  it('names what the credentials of a group open, and nothing else', () => {
    const amqp = Object.values(CHANNELS).map((channel) => channel.amqp as Record<string, { name: string }>);
    const namesOf = (kind: string) => [
      ...new Set(amqp.flatMap((binding) => (binding[kind] ? [withValues(binding[kind].name)] : []))),
    ];
    const { configure, write, read } = rightsOf(group);
    const [tools, control] = namesOf('queue');
    expect([tools, control].filter((queue) => !new RegExp(read).test(queue!))).toEqual([]);
    expect(control).toMatch(new RegExp(configure));
    const [ledger, ...others] = namesOf('exchange');
    expect([ledger, others]).toEqual([expect.stringMatching(new RegExp(write)), []]);
    const behind = namesOf('x-queue');
    const needed = groupNames(group.name, group.toolsets);
    expect(needed.queues.filter((queue) => ![tools, ...behind].includes(queue))).toEqual([]);
    expect(needed.exchanges).toContain(ledger);
  });
});
