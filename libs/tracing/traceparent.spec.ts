import { describe, expect, it } from '@jest/globals';
import { toSpanContext, toTraceparent, traceIdOf } from './traceparent.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it.each(['00', '01'])('with the flags %s is read and written unchanged', (flags) => {
    const text = `00-${TRACE}-${SPAN}-${flags}`;
    expect(toTraceparent(toSpanContext(text)!)).toBe(text);
    expect(traceIdOf(text)).toBe(TRACE);
  });

  it('of a later version is read as version 00', () => {
    expect(toSpanContext(`cc-${TRACE}-${SPAN}-01-more`)).toMatchObject({ traceId: TRACE, spanId: SPAN });
  });

  it.each([
    undefined,
    '',
    'PLANTED',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01\n`,
    `00-${TRACE}-${SPAN}-01more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(128)}`,
  ])('is ignored when it is %j', (text) => {
    expect(toSpanContext(text)).toBeUndefined();
    expect(traceIdOf(text)).toBeUndefined();
  });
});
