import { Controller, Get, UseGuards } from '@nestjs/common';
import { HttpUserGuard } from '../../people/auth/http-user.guard.js';
import { Surroundings, type ServerBody } from './surroundings.js';
import { FromParts } from '../../http/from-parts.decorator.js';

@Controller('api')
@UseGuards(HttpUserGuard)
export class SurroundingsController {
  constructor(@FromParts() private readonly dialect: { surroundings: Surroundings }) {}

  @Get('server-names')
  async serverNames(): Promise<{ serverNames: string[] }> {
    return { serverNames: await this.dialect.surroundings.serverNames() };
  }

  @Get('server-status')
  async serverStatus(): Promise<{ servers: ServerBody[] }> {
    return { servers: await this.dialect.surroundings.servers() };
  }

  @Get('api-keys/status')
  apiKeys(): { success: true; data: Record<string, boolean> } {
    return { success: true, data: this.dialect.surroundings.providers() };
  }

  /** The front end asks for it all the time; nothing is kept there. */
  @Get('storage/files')
  files(): [] {
    return [];
  }
}
