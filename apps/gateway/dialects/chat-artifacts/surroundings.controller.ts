import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { HttpUserGuard } from '../../auth/http-user.guard.js';
import { Surroundings, type ServerBody } from './surroundings.js';

@Controller('api')
@UseGuards(HttpUserGuard)
export class SurroundingsController {
  constructor(@Inject(Surroundings) private readonly surroundings: Surroundings) {}

  @Get('server-names')
  serverNames(): { serverNames: string[] } {
    return { serverNames: this.surroundings.serverNames() };
  }

  @Get('server-status')
  serverStatus(): { servers: ServerBody[] } {
    return { servers: this.surroundings.servers() };
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
