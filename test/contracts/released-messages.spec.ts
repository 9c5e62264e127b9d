import { describe, expect, test } from '@jest/globals';
import {
  decodeMessage,
  encodeMessage,
  eventSchema,
  QUEUE_TYPES,
  snapshotSchema,
  type Message,
  type QueueKind,
} from '#contracts';
import { listReleases, readReleased } from './golden.js';
import { recordSchemaOf } from './schemas.js';

const queues = Object.keys(QUEUE_TYPES) as QueueKind[];

/** Fields that are new since then may have got a default. */
const asSent = (content: unknown): unknown => expect.objectContaining(content as Record<string, unknown>);

describe.each(listReleases())('of release %s', (version) => {
  test.each(readReleased(version, 'messages'))('the message %s is still taken', (type, sent) => {
    const queue = queues.find((name) => (QUEUE_TYPES[name] as readonly string[]).includes(type));
    expect(queue).toBeDefined();
    const message = decodeMessage(encodeMessage(sent as Message), queue!);
    expect(message).toEqual({ ok: true, message: asSent(sent) });
  });

  test.each(readReleased(version, 'events'))('the event %s is still read', (type, sent) => {
    const schema = type === 'snapshot' ? snapshotSchema : eventSchema;
    expect(schema.parse(sent)).toEqual(asSent(sent));
  });

  test.each(readReleased(version, 'records'))('the row %s is still read', (file, written) => {
    expect(recordSchemaOf(file)?.parse(written)).toEqual(asSent(written));
  });
});
