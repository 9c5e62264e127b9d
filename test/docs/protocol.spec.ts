import { describe, expect, it } from '@jest/globals';
import {
  clientRequestSchemas,
  ERROR_TYPES,
  errorCodeSchema,
  eventSchema,
  failureCodeSchema,
} from '#contracts';
import { pinnedExample } from '../contracts/golden.js';
import { codeBlocks, codeSpans, firstCells, readDocument, section } from './documents.js';

type Json = Record<string, unknown>;

const text = readDocument('docs/protocol.md');
const examples = codeBlocks(text, 'json').map(({ code }) => JSON.parse(code) as Json);
const events = examples.filter(({ type }) => typeof type === 'string' && type !== 'about:blank');
const requests = examples.filter(({ request }) => request !== undefined);
const spans = new Set(codeSpans(text));
/** Of the connection, not of a conversation: they are in no schema. */
const ofTheConnection = ['pong', 'token_expired'];

describe('docs/protocol.md', () => {
  it('has an example of every event, and of nothing else', () => {
    const types = eventSchema.options.map((option) => option.shape.type.value);
    const documented = events.map(({ type }) => type as string);
    expect(documented.sort()).toEqual([...types, 'snapshot', ...ofTheConnection].sort());
  });

  it.each(events.filter(({ type }) => !ofTheConnection.includes(type as string)))(
    'shows the pinned $type (npm run samples writes it)',
    (event) => {
      expect(event).toEqual(pinnedExample(event));
    },
  );

  it('has an example and a row of every request', () => {
    const names = Object.keys(clientRequestSchemas).sort();
    expect(requests.map(({ request }) => request as string).sort()).toEqual(names);
    const rows = firstCells(section(text, '## Requests')).filter((cell) => names.includes(cell.slice(1, -1)));
    expect(rows.map((cell) => cell.slice(1, -1)).sort()).toEqual(names);
  });

  it.each(requests)('shows the pinned $request and its answer (npm run samples writes them)', (example) => {
    expect(example).toEqual(pinnedExample(example));
  });

  it('explains every error code', () => {
    const codes = firstCells(section(text, '### Errors')).map((cell) => cell.slice(1, -1));
    expect(codes.sort()).toEqual([...errorCodeSchema.options, 'forbidden', 'taken'].sort());
  });

  it('names every code of a failed turn and every error type of a call', () => {
    const missing = [...failureCodeSchema.options, ...ERROR_TYPES].filter((name) => !spans.has(name));
    expect(missing).toEqual([]);
  });
});
