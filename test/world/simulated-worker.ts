import { BusStrategy } from '#messaging';
import { CallsController } from '../../apps/tool-worker/calls.controller.js';
import { serveToolWorker } from '../../apps/tool-worker/serve-tool-worker.js';
import { ToolWorker } from '../../apps/tool-worker/tool-worker.js';
import { InPlaceChecks } from '../../libs/tools/testing/index.js';
import { addHandlers } from './add-handlers.js';
import { SimulatedProcess, type Part } from './simulated-process.js';
import { createTraceToolset } from './simulated-tools.js';
import { metrics, type World } from './world.js';

export class SimulatedWorker extends SimulatedProcess {
  constructor(world: World, place: string, options: { wallAheadMs: number }) {
    super(world, 'worker', place, options);
  }

  protected async play(): Promise<Part> {
    const { member, world, random } = this;
    const { bus, peers, processId, clock } = member;
    const strategy = new BusStrategy(bus, { logger: world.logger });
    const worker = new ToolWorker(
      {
        store: this.reach.store,
        bus,
        processId,
        peers,
        log: world.logger,
        auditLog: { info: () => undefined },
        metrics,
        hosts: [createTraceToolset(this)],
        overridesFor: () => ({}),
        clock,
        random,
        faultPoint: this.faultPoint,
        slowChecks: new InPlaceChecks(),
      },
      (queue, prefetch) => strategy.startConsuming(queue, { prefetch }),
    );
    addHandlers(strategy, new CallsController(worker));
    return serveToolWorker(worker, strategy, { processId, clock });
  }
}
