import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { TcpProxy } from '../../services/tcp-proxy.js';

/** A method of AMQP 0-9-1 as it passed, with the message that it carries. */
export interface WireStep {
  from: 'worker' | 'broker';
  /** `BasicPublish`; https://www.rabbitmq.com/amqp-0-9-1-reference */
  method: string;
  fields: Record<string, unknown>;
  message?: { properties: Record<string, unknown>; content: unknown };
}

interface Frame {
  id?: number;
  channel: number;
  size?: number;
  fields?: Record<string, unknown>;
  content?: Buffer;
  payload?: Buffer;
}

interface Codec {
  parseFrame(
    bytes: Buffer,
    max: number,
  ): { type: number; payload: Buffer; channel: number; rest: Buffer } | false;
  decodeFrame(frame: object): Frame;
}

// amqplib exports no decoder: these are its own files, of the exact version in package.json.
const require = createRequire(import.meta.url);
const library = join(dirname(require.resolve('amqplib')), 'lib');
const { parseFrame, decodeFrame } = require(join(library, 'frame.js')) as Codec;
const { info } = require(join(library, 'defs.js')) as { info(id: number): { name: string } };

const PROTOCOL_HEADER_BYTES = 8;
const BASIC = 60;

/** What one side of a connection says. */
class WireReader {
  private bytes: Buffer = Buffer.alloc(0);
  private readonly open = new Map<number, { step: WireStep; left: number; parts: Buffer[] }>();

  constructor(
    private readonly from: WireStep['from'],
    private skip: number,
    private readonly take: (step: WireStep) => void,
  ) {}

  read(data: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, data]);
    if (this.bytes.byteLength < this.skip) return;
    this.bytes = this.bytes.subarray(this.skip);
    this.skip = 0;
    for (let frame = parseFrame(this.bytes, 0); frame; frame = parseFrame(this.bytes, 0)) {
      this.bytes = frame.rest;
      this.readFrame(decodeFrame(frame), frame.channel);
    }
  }

  private readFrame({ id, size, fields = {}, content, payload }: Frame, channel: number): void {
    const current = this.open.get(channel);
    const bytes = content ?? payload;
    if (bytes && current) {
      current.parts.push(bytes);
      current.left -= bytes.byteLength;
    } else if (id === BASIC && current) {
      current.step.message = { properties: withoutAbsent(fields), content: undefined };
      current.left = size ?? 0;
    } else if (id !== undefined) {
      const step: WireStep = { from: this.from, method: info(id).name, fields };
      if (!['BasicPublish', 'BasicDeliver', 'BasicReturn'].includes(step.method)) return this.take(step);
      this.open.set(channel, { step, left: Infinity, parts: [] });
    }
    if (current?.left === 0) this.end(channel, current);
  }

  private end(channel: number, { step, parts }: { step: WireStep; parts: Buffer[] }): void {
    this.open.delete(channel);
    step.message!.content = JSON.parse(Buffer.concat(parts).toString('utf8'));
    this.take(step);
  }
}

function withoutAbsent(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Stands between a worker and the broker, and notes what each says to the other. */
export class AmqpTap {
  readonly steps: WireStep[] = [];
  private readonly readers = new WeakMap<object, Record<'client' | 'server', WireReader>>();

  private constructor(private readonly proxy: TcpProxy) {
    proxy.hear = (link, from, data) => this.readersOf(link)[from].read(data);
  }

  static async start(target: string): Promise<AmqpTap> {
    return new AmqpTap(await TcpProxy.start(target));
  }

  /** The broker's URL for the worker. */
  get url(): string {
    return this.proxy.url;
  }

  stop(): Promise<void> {
    return this.proxy.stop();
  }

  private readersOf(link: object): Record<'client' | 'server', WireReader> {
    const take = (step: WireStep): void => void this.steps.push(step);
    const known = this.readers.get(link) ?? {
      client: new WireReader('worker', PROTOCOL_HEADER_BYTES, take),
      server: new WireReader('broker', 0, take),
    };
    this.readers.set(link, known);
    return known;
  }
}
