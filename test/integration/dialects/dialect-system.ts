import type { Model } from '#llm';
import { createMetrics, Health } from '#observability';
import type { ToolsetHost } from '#tools';
import type { OrchestratorSettings } from '../../../apps/orchestrator/deps/orchestrator.deps.js';
import { gatewayDefaults } from '../../../apps/gateway/gateway-defaults.js';
import { openConfig } from '../../../apps/gateway/testing/open-config.js';
import { LOCAL_USER } from '../../../apps/gateway/people/auth/user.js';
import { startGateway, type RunningGateway } from '../../../apps/gateway/start-gateway.app.js';
import { waitFor } from '../../services/wait-for.js';
import { LIMITS } from '../gateway/gateway-harness.js';
import { FleetHarness } from '../orchestrator/fleet-harness.js';

/** Gateway, orchestrator and worker as they are, in this process, with a model and toolsets of the test. */
export class DialectSystem {
  private constructor(
    readonly fleet: FleetHarness,
    readonly gateway: RunningGateway,
    /** Takes the first worker away. */
    readonly drainWorker: () => Promise<void>,
  ) {}

  static async start({
    model,
    hosts = [],
    settings,
  }: {
    model: Model;
    hosts?: ToolsetHost[];
    settings?: Partial<OrchestratorSettings>;
  }): Promise<DialectSystem> {
    const fleet = await FleetHarness.open();
    const worker = await fleet.startWorker(hosts);
    await fleet.startOrchestrator(model, settings);
    const { part, bus } = await fleet.join('gateway');
    const config = openConfig(LIMITS);
    const metrics = createMetrics({ collectDefaults: false });
    const deps = { ...part, logger: part.log, config, health: new Health(part.clock), metrics };
    const gateway = await startGateway(
      { ...gatewayDefaults(), ...deps, pageDir: '/nonexistent' },
      { port: 0, host: '127.0.0.1' },
    );
    fleet.onClose(async () => {
      await gateway.drain(500);
      await bus.close();
    });
    const known = () => gateway.gateway.offeredTools.listServers(LOCAL_USER);
    await waitFor(async () => (await known()).length === hosts.length, { what: 'the servers of the worker' });
    return new DialectSystem(fleet, gateway, () => worker.drain(0));
  }

  get url(): string {
    return `http://127.0.0.1:${this.gateway.port}`;
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  close(): Promise<void> {
    return this.fleet.close();
  }
}
