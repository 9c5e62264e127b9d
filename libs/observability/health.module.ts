import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Health } from './health.js';
import { MetricsController } from './metrics.controller.js';
import { Registry } from './metrics/create-metrics.js';

/**
 * `GET /health/live`, `/health/ready` and, with a registry, `/metrics`, in the app of the gateway. Other processes, and
 * a gateway at `OPS_PORT`, serve them without Nest: `opsRequests`.
 */
@Module({})
export class HealthModule {
  static register({ health, registry }: { health: Health; registry?: Registry }): DynamicModule {
    const probes = { controllers: [HealthController], providers: [{ provide: Health, useValue: health }] };
    if (!registry) return { module: HealthModule, ...probes };
    return {
      module: HealthModule,
      controllers: [...probes.controllers, MetricsController],
      providers: [...probes.providers, { provide: Registry, useValue: registry }],
    };
  }
}
