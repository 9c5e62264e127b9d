import { LedgerMember, Member } from '#bootstrap';
import type { Message } from '#contracts';
import { BusStrategy } from '#messaging';
import { CallsController } from '../../apps/tool-worker/calls.controller.js';
import { serveToolWorker } from '../../apps/tool-worker/serve-tool-worker.js';
import { ToolWorker } from '../../apps/tool-worker/tool-worker.js';
import { withStore } from '../../apps/tool-worker/with-store.js';
import { InPlaceChecks } from '../../libs/tools/testing/index.js';
import { addHandlers } from './add-handlers.js';
import { SimulatedProcess, type Part } from './simulated-process.js';
import { createTraceToolset, TOOLSET } from './simulated-tools.js';
import { GROUP, metrics, schemas, type World } from './world.js';

export class SimulatedWorker extends SimulatedProcess {
  /** Calls that it has been delivered. */
  private readonly inHand = new Set<string>();

  constructor(world: World, place: string, options: { wallAheadMs: number }) {
    super(world, 'worker', place, options, (member) =>
      world.hasLedger
        ? new LedgerMember({ ...member, group: GROUP.name, toolsets: () => [TOOLSET] })
        : new Member(member),
    );
  }

  protected async play(): Promise<Part> {
    const { member, world } = this;
    const { bus, processId, clock } = member;
    const strategy = new BusStrategy(bus, { role: 'worker', logger: world.logger });
    const own = {
      log: world.logger,
      metrics,
      hosts: [createTraceToolset(this)],
      overridesFor: () => ({}),
      slowChecks: new InPlaceChecks(),
      schemas,
    };
    const deps =
      member instanceof LedgerMember
        ? { ...member.part, ...own }
        : withStore({ ...member.part, auditLog: { info: () => undefined }, ...own });
    const worker = new ToolWorker(deps, (queue, prefetch) => strategy.startConsuming(queue, { prefetch }));
    addHandlers(strategy, new CallsController(worker), (message) => this.watch(message));
    const join = member instanceof LedgerMember ? () => member.join() : undefined;
    return serveToolWorker(worker, strategy, { processId, clock, join });
  }

  /** Of two copies of a call the second is acknowledged at once. */
  private watch({ type, body }: Message): () => void {
    if (type !== 'tool.call') return () => undefined;
    const { tool_call_id } = body;
    const isCopy = this.inHand.has(tool_call_id);
    this.inHand.add(tool_call_id);
    return () => {
      if (isCopy) return;
      this.inHand.delete(tool_call_id);
      this.world.promises.noteAck(tool_call_id, this.member.processId);
    };
  }
}
