import type { ServerResponse } from 'node:http';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Registry } from './metrics/create-metrics.js';

/** Needs no login, so clients must not reach it. */
@Controller()
export class MetricsController {
  constructor(@Inject(Registry) private readonly registry: Registry) {}

  @Get('metrics')
  metrics(@Res() response: ServerResponse): Promise<void> {
    return sendMetrics(this.registry, response);
  }
}

/** Answers a scrape in the Prometheus text format. */
export async function sendMetrics(registry: Registry, response: ServerResponse): Promise<void> {
  const text = await registry.metrics();
  response.setHeader('Content-Type', registry.contentType);
  response.setHeader('Cache-Control', 'no-store');
  response.end(text);
}
