import { newMessage } from '#contracts';
import type { Timer } from '#time';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';

const INTERVAL_MS = 10_000;

/** Tells gateways which providers this orchestrator can ask. Gateways have no keys and need none. */
export class ModelAnnouncer {
  private timer: Timer | undefined;

  constructor(
    private readonly deps: Pick<OrchestratorDeps, 'bus' | 'processId' | 'settings' | 'clock' | 'random'>,
  ) {}

  start(): void {
    this.announce();
    this.timer = this.deps.clock.every(INTERVAL_MS, () => this.announce(), { unref: true });
  }

  /** To every gateway, or only to the one that asked. A lost announcement is repeated. */
  announce(to = 'gateway.all'): void {
    const { bus, processId: orchestrator, settings } = this.deps;
    const providers = [...settings.providers];
    const allowed = [...settings.allowedModels];
    const body = { orchestrator, providers, allowed, default_model: settings.model };
    void bus.send(to, newMessage(this.deps, 'model.announce', body));
  }

  stop(): void {
    this.timer?.cancel();
  }
}
