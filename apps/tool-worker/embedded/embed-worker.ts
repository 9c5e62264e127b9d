import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tracer } from '@opentelemetry/api';
import { DEFAULT_DRAIN_GRACE_MS } from '#bootstrap';
import type { LogLevel } from '#contracts';
import { createLogger, createMetrics, sendMetrics, type Registry } from '#observability';
import { traceWith } from '#tracing';
import { defineToolset, ToolSetupError, type Tool } from '#tools';
import type { RunningToolWorker } from '../serve-tool-worker.js';
import type { EmbeddedPart, EmbeddedParts } from './embedded-part.js';

/** What every worker inside another program is told. */
export interface EmbeddedOptions {
  /** The tools of each toolset. No other worker may have a toolset of the same name. */
  tools: Record<string, Tool[]>;
  /** The broker of the installation. A secret: never logged. */
  rabbitmqUrl: string;
  /** Calls of one toolset at once; default 16. */
  concurrency?: number;
  /**
   * The program's own tracer (`@opentelemetry/api`): one span for each run of a tool, below the span that sent the
   * call. Default: no spans. One per process: the last one that was started counts.
   */
  tracer?: Tracer;
  /** Level of the JSON lines that it writes to standard output; default `info`. */
  logLevel?: LogLevel;
  /**
   * The other processes count this worker as dead (it was cut off for too long) and will run its
   * calls elsewhere, so it must stop all work. Default: an entry in the log, and the process exits 1.
   */
  onGone?: () => void;
}

export interface EmbeddedToolWorker {
  /** Resolves once it takes calls. Throws with a clear sentence when the broker or the store cannot be used. */
  start(): Promise<void>;
  /**
   * Takes no more calls, lets running calls finish within `graceMs` (default 10 s) and leaves the fleet. Call it
   * once, at the end.
   */
  stop(graceMs?: number): Promise<void>;
  /** The worker's name in the fleet, as in outcomes and logs; undefined before `start`. */
  readonly id: string | undefined;
  /** Its metrics (`switchyard_…`) as a registry of `prom-client`, to merge with that of the program. */
  readonly registry: Registry;
  /** Answers a scrape with these metrics alone, as a request handler of `node:http` or Express; needs no login. */
  readonly serveMetrics: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** Throws `ToolSetupError` for a worker without toolsets. */
export function embedWorker(
  options: EmbeddedOptions,
  embed: (parts: EmbeddedParts) => EmbeddedPart,
): EmbeddedToolWorker {
  const { concurrency, rabbitmqUrl, onGone = () => process.exit(1) } = options;
  const hosts = Object.entries(options.tools).map(([name, tools]) =>
    defineToolset({ name, version: '1.0.0', tools }),
  );
  if (hosts.length === 0) throw new ToolSetupError('A tool worker needs at least one toolset in `tools`.');
  const logger = createLogger({ role: 'worker', level: options.logLevel, pretty: false });
  const metrics = createMetrics({ collectDefaults: false });
  const overridesFor = () => ({ concurrency });
  const parts = { rabbitmqUrl, logger, metrics, hosts, overridesFor, onGone };
  let part: EmbeddedPart | undefined;
  let running: RunningToolWorker | undefined;

  const leave = async (graceMs: number): Promise<void> => {
    try {
      await running?.drain(graceMs);
    } finally {
      await part?.leave();
      if (options.tracer) traceWith(undefined);
    }
  };

  return {
    registry: metrics.registry,
    serveMetrics: (_request, response) => sendMetrics(metrics.registry, response),
    get id() {
      return part?.member.processId;
    },
    async start() {
      if (part) throw new ToolSetupError('This tool worker was already started: create another one.');
      const { member, start } = (part = embed(parts));
      if (options.tracer) traceWith(options.tracer);
      try {
        const started = (running = await start());
        member.reportLoad(() => started.worker.load);
      } catch (error) {
        await leave(0).catch(() => undefined);
        throw error;
      }
    },
    stop: (graceMs = DEFAULT_DRAIN_GRACE_MS) => leave(graceMs),
  };
}
