import { describe, expect, it } from '@jest/globals';
import {
  bodySchemas,
  clientAnswerSchemas,
  clientErrorSchema,
  clientRequestSchemas,
  decodeMessage,
  encodeMessage,
  eventSchema,
  QUEUE_TYPES,
  type Message,
  type QueueKind,
} from '#contracts';
import { listGolden, readGolden } from './golden.js';
import { eventSchemaOf, queuesOf, RECORDS, recordSchemaOf } from './schemas.js';

const queues = Object.keys(QUEUE_TYPES) as QueueKind[];

describe('messages on the bus', () => {
  it('are all pinned', () => {
    expect(listGolden('messages')).toEqual(Object.keys(bodySchemas).sort());
  });

  it('are all taken by some role', () => {
    expect(Object.keys(bodySchemas).filter((type) => queuesOf(type).length === 0)).toEqual([]);
  });

  it.each(listGolden('messages'))('%s is read as exactly what was sent, from its queues only', (type) => {
    const message = readGolden(`messages/${type}`) as Message;
    for (const queue of queues) {
      const decoded = decodeMessage(encodeMessage(message), queue);
      expect(decoded).toStrictEqual(
        queuesOf(type).includes(queue)
          ? { ok: true, message }
          : { ok: false, reason: `type ${type} does not belong here` },
      );
    }
  });
});

describe('events', () => {
  it('are all pinned', () => {
    const types = eventSchema.options.map((option) => option.shape.type.value);
    expect(listGolden('events')).toEqual([...types, 'snapshot'].sort());
  });

  it.each(listGolden('events'))('%s is read as exactly what was sent', (type) => {
    const event = readGolden(`events/${type}`);
    expect(eventSchemaOf(type).parse(event)).toStrictEqual(event);
  });
});

describe('rows', () => {
  it('are all pinned', () => {
    const pinned = new Set(listGolden('records').map((file) => recordSchemaOf(file)));
    expect(pinned).toEqual(new Set(Object.values(RECORDS)));
  });

  it.each(listGolden('records'))('%s is read as exactly what was written', (file) => {
    const row = readGolden(`records/${file}`);
    expect(recordSchemaOf(file)!.parse(row)).toStrictEqual(row);
  });
});

describe('requests of clients and their answers', () => {
  it('are all pinned', () => {
    const names = Object.keys(clientRequestSchemas).sort();
    expect(listGolden('requests')).toEqual(names);
    expect(listGolden('answers')).toEqual([...names, 'error'].sort());
  });

  it.each(Object.entries(clientRequestSchemas))('%s is read as exactly what was sent', (name, schema) => {
    const request = readGolden(`requests/${name}`);
    expect(schema.parse(request)).toStrictEqual(request);
  });

  it.each(Object.entries({ ...clientAnswerSchemas, error: clientErrorSchema }))(
    'the answer to %s is read as exactly what was sent',
    (name, schema) => {
      const answer = readGolden(`answers/${name}`);
      expect(schema.parse(answer)).toStrictEqual(answer);
    },
  );
});
