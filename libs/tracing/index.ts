export { errorTypeOf, inSpan, startSpan, traceWith, type Span } from './span.js';
export { startTracing, type Tracing } from './start-tracing.adapter.js';
export { traceIdOf } from './traceparent.js';
export { turnAttributes, turnLogFields } from './turn-attributes.js';
