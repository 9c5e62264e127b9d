import { Controller, Get, Header, HttpStatus, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Health, type Readiness } from './health.js';

/** Needs no login, and its answers contain nothing that would need one. */
@Controller()
export class HealthController {
  constructor(@Inject(Health) private readonly health: Health) {}

  /** 200 while the event loop turns; nothing else may make a container orchestrator kill the process. */
  @Get('health/live')
  @Header('Cache-Control', 'no-store')
  live(): { status: 'alive' } {
    return { status: 'alive' };
  }

  /** 200 only while the process takes work, else 503. */
  @Get('health/ready')
  @Header('Cache-Control', 'no-store')
  async ready(@Res({ passthrough: true }) response: Response): Promise<Readiness> {
    const readiness = await this.health.readiness();
    response.status(readiness.status === 'ready' ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE);
    return readiness;
  }
}
