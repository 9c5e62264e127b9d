import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { createMetrics, type MetricDefinition } from '#observability';
import { root } from './documents.js';

export const METRICS_PATH = join(root, 'docs/metrics.md');

const INTRODUCTION = `# Metrics

\`npm run metrics\` writes this page from \`libs/observability/metrics/\`.

Every process reports its metrics at \`/metrics\` in the Prometheus text format, in addition to those of Node.js
(\`process_…\`, \`nodejs_…\`: memory, processor time, event-loop delay). Names end in their unit: seconds, or a
number of things. Counters count from the start of the process, so use \`rate()\` or \`increase()\`.

- An outcome is counted once, by the process that won it: the one whose row is in the journal. A tool worker counts
  the calls that it ran, an orchestrator those that it gave up, a gateway those that a Stop ended. Sum over all
  processes.
- No label holds an id, a user, or a name that only a client or a model chose. Open labels (toolset, server, model,
  provider, limit) come from the deployment; beyond the metric's limit they are \`other\`. A process has at most
  2,000 series of its own.
- A metric of one role is 0 or absent in processes of other roles.
`;

/** The text of docs/metrics.md. */
export async function metricsDocument(): Promise<string> {
  const { definitions } = createMetrics({ collectDefaults: false });
  const subjects = [...new Set(definitions.map(({ subject }) => subject))];
  const sections = subjects.map((subject) => {
    const rows = definitions.filter((definition) => definition.subject === subject).map(rowOf);
    return [`## ${subject}`, '', '| name | type | labels | meaning |', '| - | - | - | - |', ...rows, ''].join(
      '\n',
    );
  });
  const text = [INTRODUCTION, ...sections].join('\n');
  return format(text, { ...(await resolveConfig(METRICS_PATH)), parser: 'markdown' });
}

function rowOf({ name, type, labels, help, buckets }: MetricDefinition): string {
  const shown = Object.entries(labels).map(([label, values]) =>
    values === 'open' ? `\`${label}\`` : `\`${label}\`: ${values.join(', ')}`,
  );
  const ranges = buckets ? ` Buckets: ${buckets.join(', ')}.` : '';
  return `| \`${name}\` | ${type} | ${shown.join('; ')} | ${help}${ranges} |`;
}
