import type { ServerResponse } from 'node:http';
import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Health } from './health.js';
import { sendLiveness, sendReadiness } from './ops-requests.js';

/** Needs no login, and its answers contain nothing that would need one. */
@Controller()
export class HealthController {
  constructor(@Inject(Health) private readonly health: Health) {}

  @Get('health/live')
  live(@Res() response: ServerResponse): void {
    sendLiveness(response);
  }

  @Get('health/ready')
  ready(@Res() response: ServerResponse): Promise<void> {
    return sendReadiness(this.health, response);
  }
}
