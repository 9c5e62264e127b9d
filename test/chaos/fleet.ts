import type { Role } from '#contracts';
import type { Model, ModelRequest } from '#llm';
import { createMetrics } from '#observability';
import { DEFAULT_BUDGETS } from '#turn';
import { startOrchestrator } from '../../apps/orchestrator/start-orchestrator.app.js';
import { startToolWorker } from '../../apps/tool-worker/start-tool-worker.app.js';
import { ChaosGateway } from './chaos-gateway.js';
import { ChaosProcess, type Equipment, type Surroundings } from './chaos-process.js';
import { labToolsets } from './lab-tools.js';
import type { Life } from './life.js';
import type { Random } from './random.js';

const RESTART_MS = 1_000;

/** One place in the fleet: whoever runs there is replaced when it ends. */
export interface Place {
  readonly role: Role;
  readonly number: number;
  process: ChaosProcess | undefined;
  gateway: ChaosGateway | undefined;
}

/** Gateways, orchestrators and workers over one broker and one store, each started by the program's own code. */
export class Fleet {
  readonly places: Place[];
  /** Everybody who ever ran. */
  readonly everybody: ChaosProcess[] = [];
  private readonly metrics = createMetrics({ collectDefaults: false });

  constructor(
    private readonly surroundings: Surroundings,
    private readonly model: Model,
    private readonly random: Random,
    perRole = 2,
  ) {
    const roles: Role[] = ['worker', 'orchestrator', 'gateway'];
    this.places = roles.flatMap((role) =>
      Array.from({ length: perRole }, (_, number) => ({
        role,
        number,
        process: undefined,
        gateway: undefined,
      })),
    );
  }

  of(role: Role): Place[] {
    return this.places.filter((place) => place.role === role);
  }

  /** Somebody new at this place, tried until it runs. */
  async occupy(place: Place): Promise<void> {
    for (;;) {
      const process = new ChaosProcess(
        place.role,
        this.surroundings,
        () => void this.replace(place, process, 0),
      );
      this.everybody.push(process);
      place.process = process;
      try {
        return await process.start((equipment) => this.begin(place, equipment));
      } catch {
        await process.kill();
        await this.surroundings.faults.delay(RESTART_MS);
      }
    }
  }

  /** Ends a process, unless that has happened already, and starts another in its place after a while. */
  async replace(place: Place, process: ChaosProcess, afterMs: number): Promise<void> {
    if (place.process !== process) return;
    place.process = undefined;
    place.gateway = undefined;
    await process.kill();
    await this.surroundings.faults.delay(afterMs);
    await this.occupy(place);
  }

  private async begin(place: Place, equipment: Equipment): Promise<(graceMs: number) => Promise<void>> {
    if (place.role === 'orchestrator') return this.beginOrchestrator(equipment);
    if (place.role === 'worker') return this.beginWorker(equipment, place.number === 0);
    const gateway = new ChaosGateway(equipment);
    await gateway.start();
    place.gateway = gateway;
    return async () => gateway.stop();
  }

  private async beginOrchestrator({ life, store, bus, member, log }: Equipment) {
    const { drain } = await startOrchestrator({
      store,
      bus,
      processId: member.processId,
      peers: member.peers,
      model: gatedModel(this.model, life),
      log,
      metrics: this.metrics,
      settings: {
        model: 'scripted',
        systemPrompt: '',
        budgets: DEFAULT_BUDGETS,
        maxOutputTokens: 1_000,
        turnsAtOnce: 200,
        needsApproval: (tool) => tool.name === 'rare.approve',
      },
    });
    return drain;
  }

  private async beginWorker({ life, store, bus, member, log }: Equipment, hostsRare: boolean) {
    const { drain } = await startToolWorker({
      store,
      bus,
      processId: member.processId,
      peers: member.peers,
      log,
      metrics: this.metrics,
      hosts: labToolsets(life, this.surroundings.trace, this.random.fork(), hostsRare),
      overridesFor: () => ({}),
    });
    return drain;
  }
}

/** A process that is frozen or dead does not hear what its provider says. */
function gatedModel(model: Model, life: Life): Model {
  return {
    async *stream(request: ModelRequest, signal: AbortSignal) {
      for await (const part of model.stream(request, signal)) {
        await life.gate();
        yield part;
      }
    },
  };
}
