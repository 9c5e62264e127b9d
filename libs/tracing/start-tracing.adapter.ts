import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { Clock } from '#time';
import { traceWith } from './span.js';

const AGAIN_MS = 60_000;

interface Log {
  warn(fields: object, message: string): void;
}

export interface TracingOptions {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`; undefined: tracing stays off, and the SDK is not loaded. */
  endpoint: string | undefined;
  /** Names the service unless `OTEL_SERVICE_NAME` does. */
  role: string;
  version: string;
  log: Log;
  clock: Pick<Clock, 'now'>;
}

export interface Tracing {
  /** Sends the spans that have ended, and no more. */
  stop(): Promise<void>;
}

/** The exporter and the SDK read all other settings from `OTEL_…` variables. */
export async function startTracing({
  endpoint,
  role,
  version,
  log,
  clock,
}: TracingOptions): Promise<Tracing> {
  if (endpoint === undefined) return { stop: () => Promise.resolve() };
  const [sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const warn = warnOnce(log, clock);
  const ignore = () => {};
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const resource = resources
    .defaultResource()
    .merge(
      resources.resourceFromAttributes({ 'service.name': `switchyard-${role}`, 'service.version': version }),
    )
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const provider = new sdk.BasicTracerProvider({
    resource,
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  traceWith(provider.getTracer('switchyard', version));
  return {
    async stop() {
      traceWith(undefined);
      await provider.shutdown();
    },
  };
}

/** The same problem once a minute: the SDK reports it with each batch of spans. */
function warnOnce(log: Log, clock: Pick<Clock, 'now'>): (message: string) => void {
  let last: { reason: string; at: number } | undefined;
  return (message) => {
    const reason = reasonIn(message);
    const at = clock.now();
    if (reason === last?.reason && at - last.at < AGAIN_MS) return;
    last = { reason, at };
    log.warn({ reason }, 'tracing problem');
  };
}

/** The SDK reports an error as JSON with its stack. */
function reasonIn(message: string): string {
  try {
    const { message: reason } = JSON.parse(message) as { message?: unknown };
    return typeof reason === 'string' ? reason : message;
  } catch {
    return message;
  }
}
