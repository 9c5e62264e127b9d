import { collectDefaultMetrics, Registry } from 'prom-client';
import { busMetrics } from './bus-metrics.js';
import { callMetrics, definitionMetrics } from './call-metrics.js';
import { gatewayMetrics } from './gateway-metrics.js';
import { mcpMetrics } from './mcp-metrics.js';
import { MetricSubject, type MetricDefinition } from './metric-subject.js';
import { modelMetrics } from './model-metrics.js';
import { processMetrics } from './process-metrics.js';
import { storeMetrics } from './store-metrics.js';
import { turnMetrics } from './turn-metrics.js';

export { Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates a separate registry (tests run several processes in one) with the metrics of Node.js and ours. */
export function createMetrics(options: { collectDefaults?: boolean } = {}) {
  const registry = new Registry();
  if (options.collectDefaults ?? true) collectDefaultMetrics({ register: registry });
  const definitions: MetricDefinition[] = [];
  const subject = (title: string) => new MetricSubject(title, registry, definitions);
  return {
    registry,
    /** In the order of the documentation. */
    definitions: definitions as readonly MetricDefinition[],
    ...turnMetrics(subject('Turns')),
    ...modelMetrics(subject('Models')),
    ...callMetrics(subject('Tool calls')),
    ...definitionMetrics(subject('Definitions of tools')),
    ...mcpMetrics(subject('MCP servers')),
    ...gatewayMetrics(subject('Gateways')),
    ...busMetrics(subject('Bus')),
    ...storeMetrics(subject('Store')),
    ...processMetrics(subject('Processes')),
  };
}
