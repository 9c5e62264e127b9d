import type { SpanContext } from '@opentelemetry/api';

/** Version 00 of https://www.w3.org/TR/trace-context/; later versions may add fields after the flags. */
const PATTERN = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const MAX_LENGTH = 128;

/** Undefined for a text that is not a valid `traceparent`; it may come from any client. */
export function toSpanContext(traceparent: string | undefined): SpanContext | undefined {
  if (traceparent === undefined || traceparent.length > MAX_LENGTH) return undefined;
  const [, traceId, spanId, flags] = PATTERN.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true };
}

export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** The `trace_id` of a log line; undefined without a trace. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return toSpanContext(traceparent)?.traceId;
}
