import { newMessage, type Body, type ProcessLoad } from '#contracts';
import type { ModelRequest } from '#llm';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';
import { configuredModels } from './configured-models.js';
import { ModelAdmission, type AdmissionRequest, type Permit } from './model-admission.js';

/** A rough measure that suits the texts of all providers. The real use is counted afterwards. */
const CHARACTERS_PER_TOKEN = 4;

/** Admits requests to the models, and exchanges with other orchestrators which providers asked to slow down. */
export class ModelLimits {
  private readonly admission: ModelAdmission;

  constructor(
    private readonly deps: Pick<
      OrchestratorDeps,
      'bus' | 'peers' | 'metrics' | 'settings' | 'clock' | 'random'
    >,
  ) {
    const { peers, metrics, settings, clock, random } = deps;
    this.admission = new ModelAdmission({
      budgets: settings.modelBudgets,
      models: configuredModels(settings),
      countOrchestrators: () => Math.max(1, peers.countLiving('orchestrator')),
      metrics,
      clock,
      random,
    });
  }

  /** For the process's next beat. */
  get load(): Pick<ProcessLoad, 'model_waits' | 'models'> {
    return { model_waits: this.admission.size, models: this.admission.load };
  }

  admit(
    request: ModelRequest,
    { signal, onWait }: Pick<AdmissionRequest, 'signal' | 'onWait'>,
  ): Promise<Permit> {
    const { model } = request;
    return this.admission.admit({ model, estimateTokens: () => estimateTokens(request), signal, onWait });
  }

  /** The provider refused a request of this process. Every orchestrator then leaves the model alone for this long. */
  slowDown(model: string, retryAfterMs: number): void {
    this.admission.pause(model, retryAfterMs);
    const message = newMessage(this.deps, 'model.limited', {
      model,
      retry_after_ms: Math.ceil(retryAfterMs),
    });
    void this.deps.bus.send('orchestrator.all', message);
  }

  /** The provider refused a request of another orchestrator. */
  limited({ model, retry_after_ms }: Body<'model.limited'>): void {
    this.admission.pause(model, retry_after_ms);
  }
}

function estimateTokens({ system, summary = '', messages, tools }: ModelRequest): number {
  const characters =
    system.length + summary.length + JSON.stringify(messages).length + JSON.stringify(tools).length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
