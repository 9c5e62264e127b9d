import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Tracer,
} from '@opentelemetry/api';
import { toSpanContext, toTraceparent } from './traceparent.js';

/**
 * A named stretch of work in a trace. Its attributes are ids, names, sizes, counts and types: never what a person, a
 * model or a tool has written. A span that is not ended is never sent.
 */
export interface Span {
  /** Continues the trace below this span, in this process or another one; undefined while tracing is off. */
  readonly traceparent: string | undefined;
  set(attributes: Attributes): void;
  /** Marks it as failed; `errorType` is a class of errors, not a message. */
  fail(errorType: string): void;
  end(): void;
}

export interface SpanOptions {
  kind?: Lowercase<keyof typeof SpanKind>;
  /** The `traceparent` that it continues; without a valid one it begins a trace. */
  parent?: string;
  /** The `traceparent`s of other spans that led to it. */
  links?: readonly (string | undefined)[];
  attributes?: Attributes;
}

/** The one span while tracing is off. */
const NO_SPAN: Span = { traceparent: undefined, set: () => {}, fail: () => {}, end: () => {} };

/** Not the API's global one: packages that find a tracer there would send spans of their own, with contents. */
let tracer: Tracer | undefined;

/** Undefined turns tracing off. */
export function traceWith(chosen: Tracer | undefined): void {
  tracer = chosen;
}

/** Begins a span now. While tracing is off, it does nothing and returns a span that does nothing. */
export function startSpan(name: string, options: SpanOptions): Span {
  if (!tracer) return NO_SPAN;
  const { kind = 'internal', parent, links = [], attributes } = options;
  const continued = toSpanContext(parent);
  const context = continued ? trace.setSpanContext(ROOT_CONTEXT, continued) : ROOT_CONTEXT;
  const linked = links
    .flatMap((link) => toSpanContext(link) ?? [])
    .map((linkedTo) => ({ context: linkedTo }));
  const kindOf = SpanKind[kind.toUpperCase() as keyof typeof SpanKind];
  const span = tracer.startSpan(name, { kind: kindOf, attributes, links: linked }, context);
  return {
    traceparent: toTraceparent(span.spanContext()),
    set: (more) => void span.setAttributes(more),
    fail: (errorType) =>
      void span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  };
}

/** Runs `work` in a span. What it throws fails the span by its code or the name of its class, and is thrown on. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = startSpan(name, options);
  try {
    return await work(span);
  } catch (error) {
    span.fail(errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Never a message: it may quote contents. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
