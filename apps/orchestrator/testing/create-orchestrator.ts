import type { TestPorts } from '#journal/testing';
import type { Model } from '#llm';
import { createMetrics } from '#observability';
import { InputSchemas } from '#tools';
import { InPlaceChecks } from '#tools/testing';
import { Orchestrator } from '../orchestrator.js';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';
import { testSettings } from './test-settings.js';

/** Says nothing until it is told to stop. */
export const silentModel: Model = {
  // eslint-disable-next-line require-yield -- it never says anything
  async *stream(_request, signal) {
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  },
};

/** A whole orchestrator on the ports of a test. It consumes no queue: the test passes it the messages. */
export function createOrchestrator(
  ports: Omit<TestPorts, 'recorded' | 'dead'>,
  change: Partial<OrchestratorDeps> = {},
): Orchestrator {
  return new Orchestrator({
    ...ports,
    processId: ports.me,
    auditLog: ports.log,
    model: silentModel,
    metrics: createMetrics({ collectDefaults: false }),
    slowChecks: new InPlaceChecks(),
    schemas: new InputSchemas(),
    settings: testSettings(),
    ...change,
  });
}
