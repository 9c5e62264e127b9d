import { Module, type DynamicModule } from '@nestjs/common';
import { HintsController } from './hints.controller.js';
import { LedgerController } from './ledger.controller.js';
import { Orchestrator } from './orchestrator.js';

@Module({})
export class OrchestratorModule {
  static forRoot(orchestrator: Orchestrator): DynamicModule {
    return {
      module: OrchestratorModule,
      controllers: [HintsController, LedgerController],
      providers: [{ provide: Orchestrator, useValue: orchestrator }],
    };
  }
}
