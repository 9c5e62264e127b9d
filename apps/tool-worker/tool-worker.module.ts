import { Module, type DynamicModule } from '@nestjs/common';
import { CallsController } from './calls.controller.js';
import { ToolWorker } from './tool-worker.js';

@Module({})
export class ToolWorkerModule {
  static forRoot(worker: ToolWorker): DynamicModule {
    return {
      module: ToolWorkerModule,
      controllers: [CallsController],
      providers: [{ provide: ToolWorker, useValue: worker }],
    };
  }
}
