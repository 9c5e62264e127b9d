import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tracer } from '@opentelemetry/api';
import { countingBuses, DEFAULT_DRAIN_GRACE_MS, Member, observeStore, reportBuses } from '#bootstrap';
import type { LogLevel } from '#contracts';
import { faultPoint } from '#faults';
import { AuditTrail, DEFAULT_AUDIT_DAYS } from '#journal';
import { createRabbitmqBus } from '#messaging';
import {
  createLogger,
  createMetrics,
  LogLevels,
  sendMetrics,
  VERSION,
  type Logger,
  type Metrics,
  type Registry,
} from '#observability';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import { traceWith } from '#tracing';
import { defineToolset, ToolSetupError, type Tool } from '#tools';
import { startToolWorker, type RunningToolWorker } from './start-tool-worker.app.js';

/*
 * `switchyard/tool-worker`: a tool worker inside another program.
 */

export interface ToolWorkerOptions {
  /** The tools of each toolset. No other worker may have a toolset of the same name. */
  tools: Record<string, Tool[]>;
  /** The broker and the store of the installation. Secrets: never logged. */
  rabbitmqUrl: string;
  mongodbUrl: string;
  /** Calls of one toolset at once; default 16. */
  concurrency?: number;
  /** How long audit records stay in the store, in days; 0: they are only in the log. Default 30. */
  auditDays?: number;
  /**
   * The program's own tracer (`@opentelemetry/api`): one span for each run of a tool, below the span that sent the
   * call. Default: no spans. One per process: the last one that was started counts.
   */
  tracer?: Tracer;
  /** Level of the JSON lines that it writes to standard output; default `info`. */
  logLevel?: LogLevel;
  /**
   * The other processes count this worker as dead (it was cut off from the store for too long) and will run its
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

/** Signals, restarts and health belong to the program: it calls `start`, and `stop` before it ends. */
export function createToolWorker(options: ToolWorkerOptions): EmbeddedToolWorker {
  const hosts = Object.entries(options.tools).map(([name, tools]) =>
    defineToolset({ name, version: '1.0.0', tools }),
  );
  if (hosts.length === 0) throw new ToolSetupError('A tool worker needs at least one toolset in `tools`.');
  const { concurrency } = options;
  const logger = createLogger({ role: 'worker', level: options.logLevel, pretty: false });
  const time = systemTime();
  const metrics = createMetrics({ collectDefaults: false });
  const store = observeStore(createStore({ ...time, url: options.mongodbUrl }), time.clock, metrics);
  const days = options.auditDays ?? DEFAULT_AUDIT_DAYS;
  const auditTrail = new AuditTrail({ store, log: logger, days, ...time });
  let member: Member | undefined;
  let running: RunningToolWorker | undefined;

  const leave = async (graceMs: number): Promise<void> => {
    try {
      await running?.drain(graceMs);
      await Promise.all([auditTrail.close(), member?.leave()]);
    } finally {
      // An unreachable store keeps the row, but must not make this worker go on taking calls.
      await member?.bus.close();
      await store.close();
      if (options.tracer) traceWith(undefined);
    }
  };

  return {
    registry: metrics.registry,
    serveMetrics: (_request, response) => sendMetrics(metrics.registry, response),
    get id() {
      return member?.processId;
    },
    async start() {
      if (member) throw new ToolSetupError('This tool worker was already started: create another one.');
      member = createMember(options, { store, logger, metrics, auditTrail });
      if (options.tracer) traceWith(options.tracer);
      try {
        await store.open();
        auditTrail.start();
        await member.start();
        const overridesFor = () => ({ concurrency });
        const started = await startToolWorker({
          ...member.part,
          log: logger,
          metrics,
          hosts,
          overridesFor,
        });
        running = started;
        member.reportLoad(() => started.worker.load);
      } catch (error) {
        await leave(0).catch(() => undefined);
        throw error;
      }
    },
    stop: (graceMs = DEFAULT_DRAIN_GRACE_MS) => leave(graceMs),
  };
}

function createMember(
  { rabbitmqUrl, onGone = () => process.exit(1) }: ToolWorkerOptions,
  {
    store,
    logger,
    metrics,
    auditTrail,
  }: { store: Store; logger: Logger; metrics: Metrics; auditTrail: AuditTrail },
): Member {
  const member = new Member({
    role: 'worker',
    store,
    createBus: countingBuses(
      (identity) => createRabbitmqBus({ url: rabbitmqUrl, logger, ...identity }),
      metrics,
    ),
    logger,
    onGone,
    faultPoint,
    auditTrail,
    ...systemTime(),
  });
  const levels = new LogLevels(logger);
  member.switches.onLogLevel((level) => levels.set(level));
  metrics.info.set({ version: VERSION, role: 'worker' }, 1);
  reportBuses(metrics, () => [member.bus]);
  return member;
}
