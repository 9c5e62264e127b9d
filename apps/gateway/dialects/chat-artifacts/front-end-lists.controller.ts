import { Controller, Get, UseGuards } from '@nestjs/common';
import { HttpUserGuard } from '../../people/auth/http-user.guard.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { FrontEndLists, type ServerBody } from './front-end-lists.js';

@Controller('api')
@UseGuards(HttpUserGuard)
export class FrontEndListsController {
  constructor(@FromParts() private readonly dialect: { lists: FrontEndLists }) {}

  @Get('server-names')
  async serverNames(): Promise<{ serverNames: string[] }> {
    return { serverNames: await this.dialect.lists.serverNames() };
  }

  @Get('server-status')
  async serverStatus(): Promise<{ servers: ServerBody[] }> {
    return { servers: await this.dialect.lists.servers() };
  }

  @Get('api-keys/status')
  apiKeys(): { success: true; data: Record<string, boolean> } {
    return { success: true, data: this.dialect.lists.providers() };
  }

  /** The front end requests it constantly; nothing is stored there. */
  @Get('storage/files')
  files(): [] {
    return [];
  }
}
