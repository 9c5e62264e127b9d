import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
} & {
  arrayValue?: { values: Value[] };
};
interface Attribute {
  key: string;
  value: Value;
}
interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
  links: { traceId: string; spanId: string }[];
  status: { code?: number };
}
interface SentTraces {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

/** A span as a collector receives it. */
export interface ReceivedSpan extends Omit<SentSpan, 'attributes' | 'status'> {
  /** The `service.name` of its process. */
  service: unknown;
  attributes: Record<string, unknown>;
  hasFailed: boolean;
}

const FAILED = 2;

/** A collector that keeps what it receives over OTLP as JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Bodies of requests, as they came. */
  readonly bodies: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.take(request.url, Buffer.concat(chunks).toString());
        response.setHeader('Content-Type', 'application/json').end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(path: string | undefined, body: string): void {
    if (path !== '/v1/traces') throw new Error(`nothing is expected at ${path}`);
    this.bodies.push(body);
    for (const { resource, scopeSpans } of (JSON.parse(body) as SentTraces).resourceSpans) {
      const service = plain(resource.attributes)['service.name'];
      for (const { attributes, status, ...span } of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          service,
          attributes: plain(attributes),
          hasFailed: status.code === FAILED,
        });
    }
  }
}

function plain(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf(value: Value): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(valueOf);
  return value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue);
}
