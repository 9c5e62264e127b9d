import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Health } from './health.js';
import { Registry } from './metrics/create-metrics.js';

/**
 * `GET /health/live`, `/health/ready` and `/metrics`. The gateway imports it into its own app; an orchestrator or
 * tool worker has it as the only HTTP module: `NestFactory.create(AppModule)` and `listen(PORT, HOST)`.
 */
@Module({})
export class HealthModule {
  static register(options: { health: Health; registry: Registry }): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [
        { provide: Health, useValue: options.health },
        { provide: Registry, useValue: options.registry },
      ],
      exports: [Health],
    };
  }
}
