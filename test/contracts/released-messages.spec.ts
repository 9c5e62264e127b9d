import { describe, expect, test } from '@jest/globals';
import { decodeMessage, encodeMessage, type Message } from '#contracts';
import { listReleases } from './golden.js';
import { eventSchemaOf, queuesOf, recordSchemaOf } from './schemas.js';

/** Fields that are new since then may have got a default. */
const asSent = (content: unknown): unknown => expect.objectContaining(content as Record<string, unknown>);

describe.each(listReleases())('of release %s', (_version, { list, read }) => {
  test.each(list('messages'))('the message %s is still taken', (type) => {
    const sent = read(`messages/${type}`) as Message;
    const [queue] = queuesOf(type);
    expect(queue).toBeDefined();
    expect(decodeMessage(encodeMessage(sent), queue!)).toEqual({ ok: true, message: asSent(sent) });
  });

  test.each(list('events'))('the event %s is still read', (type) => {
    const sent = read(`events/${type}`);
    expect(eventSchemaOf(type).parse(sent)).toEqual(asSent(sent));
  });

  test.each(list('records'))('the row %s is still read', (file) => {
    const written = read(`records/${file}`);
    expect(recordSchemaOf(file)?.parse(written)).toEqual(asSent(written));
  });
});
