import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { HttpUserGuard } from '../../auth/http-user.guard.js';
import { Surroundings, type ServerBody } from './surroundings.js';

@Controller('api')
@UseGuards(HttpUserGuard)
export class SurroundingsController {
  constructor(@Inject(Surroundings) private readonly surroundings: Surroundings) {}

  @Get('server-names')
  async serverNames(): Promise<{ serverNames: string[] }> {
    return { serverNames: await this.surroundings.serverNames() };
  }

  @Get('server-status')
  async serverStatus(): Promise<{ servers: ServerBody[] }> {
    return { servers: await this.surroundings.servers() };
  }

  @Get('api-keys/status')
  apiKeys(): { success: true; data: Record<string, boolean> } {
    return { success: true, data: this.surroundings.providers() };
  }

  /** The front end asks for it all the time; nothing is kept there. */
  @Get('storage/files')
  files(): [] {
    return [];
  }
}
