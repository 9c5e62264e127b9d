import { Cluster, type ClusterOptions } from '../e2e/cluster.js';
import type { Gates } from '../e2e/gates.js';
import { writeSettings } from '../e2e/standalone-process.js';
import { expectOffered } from './meanwhile.js';

type Environment = Record<string, string>;

export interface OutageClusterOptions {
  services: NonNullable<ClusterOptions['services']>;
  /** For every process of the kind, such as another way to the broker. */
  gateway?: Environment;
  orchestrator?: Environment;
  worker?: Environment;
}

/** So few that some turns wait in the queue while the others are held. */
const FEW_TURNS = { TURNS_PER_ORCHESTRATOR: '2' };
/** One call at once: the others wait, in their worker's hand or in the queue. */
const LINE_SETTINGS = { tools: { line: { concurrency: 1 } } };

/** Two processes of each kind, with the tools of the `Workload`; one of the workers has the toolset `line`. */
export async function startOutageCluster(gates: Gates, options: OutageClusterOptions): Promise<Cluster> {
  const { services, gateway = {}, orchestrator = {}, worker = {} } = options;
  const acting = { acts: 'once', repeats: 'idempotent' } as const;
  const [CONFIG, lined, plain] = await Promise.all([
    writeSettings('line.json', LINE_SETTINGS),
    gates.mcpConfig({ ...acting, line: 'once' }),
    gates.mcpConfig(acting),
  ]);
  const driving = { ...FEW_TURNS, ...orchestrator };
  const cluster = await Cluster.start({
    services,
    gateways: [gateway, gateway],
    orchestrators: [driving, driving],
    workers: [
      { ...worker, MCP_CONFIG: lined, CONFIG },
      { ...worker, MCP_CONFIG: plain },
    ],
  });
  // MCP servers connect after their worker is ready.
  await expectOffered(cluster.gateways, ['acts', 'repeats', 'line']);
  return cluster;
}
