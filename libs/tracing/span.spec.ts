import { afterEach, describe, expect, it } from '@jest/globals';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { inSpan, startSpan, traceWith } from './span.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const parent = (flags: string) => `00-${TRACE}-b7ad6b7169203331-${flags}`;

function trace(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  traceWith(provider.getTracer('test'));
  return exporter;
}

afterEach(() => traceWith(undefined));

describe('a span', () => {
  it('continues a trace, with links to others, and is continued by its traceparent', () => {
    const exporter = trace();
    const before = startSpan('before', {});
    const outer = startSpan('outer', {
      parent: parent('01'),
      links: [undefined, before.traceparent, 'none'],
    });
    const inner = startSpan('inner', { kind: 'client', parent: outer.traceparent, attributes: { n: 1 } });
    inner.set({ m: 2 });
    inner.end();
    outer.end();
    const [first, second] = exporter.getFinishedSpans();
    expect(first).toMatchObject({ name: 'inner', kind: 2, attributes: { n: 1, m: 2 } });
    expect(first!.parentSpanContext).toMatchObject({ spanId: second!.spanContext().spanId });
    expect(second!.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: 'b7ad6b7169203331' });
    expect(second!.links.map(({ context }) => context.spanId)).toEqual([before.traceparent!.split('-')[2]]);
    expect(inner.traceparent).toBe(`00-${TRACE}-${first!.spanContext().spanId}-01`);
  });

  it('begins a trace without a valid parent', () => {
    const exporter = trace();
    startSpan('root', { parent: 'PLANTED' }).end();
    expect(exporter.getFinishedSpans()[0]!.parentSpanContext).toBeUndefined();
  });

  it('is not sampled below a parent that is not', () => {
    const exporter = trace();
    const span = startSpan('unsampled', { parent: parent('00') });
    span.end();
    expect(span.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it.each([
    [Object.assign(new Error('PLANTED'), { code: 'busy' }), 'busy'],
    [new TypeError('PLANTED'), 'TypeError'],
    ['PLANTED', 'unknown'],
  ])('fails with the class of an error, never with its text', async (error, type) => {
    const exporter = trace();
    const failing = inSpan('failing', {}, () => Promise.reject(error as Error));
    await expect(failing).rejects.toBe(error);
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ attributes: { 'error.type': type }, status: { code: 2 }, events: [] });
    expect(JSON.stringify([span!.attributes, span!.status])).not.toContain('PLANTED');
  });

  it('is one that does nothing while tracing is off', async () => {
    const span = startSpan('off', { parent: parent('01') });
    expect(span.traceparent).toBeUndefined();
    expect(startSpan('another', {})).toBe(span);
    expect(await inSpan('off', {}, (inner) => Promise.resolve(inner === span))).toBe(true);
  });
});
