import type { CallRate } from '#bootstrap';
import type { KnownSwitches, Ports } from '#journal';
import { noSwitches } from '#journal/testing';
import { StoreLedger } from '#ledger';
import { createMetrics } from '#observability';
import { InputSchemas, type ToolsetHost } from '#tools';
import { InPlaceChecks } from '#tools/testing';
import { HostedTools } from '../offer/hosted-tools.js';
import { CallPace } from '../run/call-pace.js';
import { DEFAULT_QUESTION_TIMES, type QuestionTimes } from '../run/call-questions.js';
import { CallRunner } from '../run/call-runner.js';
import { RateLimits } from '../run/rate-limits.js';
import type { ToolOverrides } from '../tool-worker.deps.js';

interface Deployed {
  overrides?: ToolOverrides;
  questionTimes?: Partial<QuestionTimes>;
  /** Of every tool and toolset. */
  rate?: CallRate;
  switches?: KnownSwitches;
  /** Whether another worker has the tool in the version of a call. */
  hasMajor?: (toolset: string, toolName: string, major: number) => boolean;
}

/** Creates the call runner of a worker with these toolsets, without rate limits unless one is given. */
export function createCallRunner(
  ports: Ports,
  hosts: ToolsetHost[],
  { overrides = {}, questionTimes, rate, switches = noSwitches(), hasMajor = () => false }: Deployed = {},
): CallRunner {
  const hosted = new HostedTools({ hosts, overridesFor: () => overrides });
  const rates = new RateLimits(
    () => rate,
    () => 1,
    ports.clock,
  );
  const ledger = new StoreLedger(ports, (toolName) => switches.pauseOf(toolName));
  return new CallRunner({ ...ports, ledger }, hosted, createMetrics({ collectDefaults: false }), {
    rates,
    pace: new CallPace(ports.clock),
    slowChecks: new InPlaceChecks(),
    schemas: new InputSchemas(),
    switches,
    fleet: { hasMajor },
    questionTimes: { ...DEFAULT_QUESTION_TIMES, ...questionTimes },
  });
}
