import type { ServerResponse } from 'node:http';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Registry } from './metrics/create-metrics.js';
import { sendMetrics } from './ops-requests.js';

/** Needs no login, so clients must not reach it. */
@Controller()
export class MetricsController {
  constructor(@Inject(Registry) private readonly registry: Registry) {}

  @Get('metrics')
  metrics(@Res() response: ServerResponse): Promise<void> {
    return sendMetrics(this.registry, response);
  }
}
