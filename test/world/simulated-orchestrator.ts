import { Member } from '#bootstrap';
import { BusStrategy } from '#messaging';
import { HintsController } from '../../apps/orchestrator/hints.controller.js';
import { LedgerController } from '../../apps/orchestrator/ledger.controller.js';
import { Orchestrator } from '../../apps/orchestrator/orchestrator.js';
import { testSettings } from '../../apps/orchestrator/testing/test-settings.js';
import { serveOrchestrator } from '../../apps/orchestrator/serve-orchestrator.js';
import { InPlaceChecks } from '../../libs/tools/testing/index.js';
import { addHandlers } from './add-handlers.js';
import { SimulatedModel } from './simulated-model.js';
import { SimulatedProcess, type Part } from './simulated-process.js';
import { GROUP, metrics, schemas, type World } from './world.js';

export class SimulatedOrchestrator extends SimulatedProcess<Member> {
  constructor(world: World, place: string, options: { wallAheadMs: number }) {
    super(world, 'orchestrator', place, options, (member) => new Member(member));
  }

  protected async play(): Promise<Part> {
    const { member, world, random } = this;
    const { bus, processId } = member;
    const settings = testSettings({
      turnsAtOnce: 20,
      groups: world.hasLedger ? [GROUP] : [],
      approvalOf: ({ name }) => (name === 'trace.asked' ? 'always' : 'never'),
    });
    const orchestrator = new Orchestrator({
      ...member.part,
      model: new SimulatedModel(world, this.clock, random.fork()),
      log: world.logger,
      auditLog: { info: () => undefined },
      metrics,
      settings,
      slowChecks: new InPlaceChecks(),
      schemas,
    });
    const strategy = new BusStrategy(bus, { role: 'orchestrator', logger: world.logger });
    addHandlers(strategy, [new HintsController(orchestrator), new LedgerController(orchestrator)]);
    return serveOrchestrator(orchestrator, strategy, { processId, turnsAtOnce: settings.turnsAtOnce });
  }
}
