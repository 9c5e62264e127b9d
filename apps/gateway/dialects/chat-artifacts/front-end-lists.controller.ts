import { Controller, Get, UseGuards } from '@nestjs/common';
import { CurrentUser, HttpUserGuard } from '../../people/auth/http-user.guard.js';
import type { User } from '../../people/auth/user.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { FrontEndLists, type ServerBody } from './front-end-lists.js';

@Controller('api')
@UseGuards(HttpUserGuard)
export class FrontEndListsController {
  constructor(@FromParts() private readonly dialect: { lists: FrontEndLists }) {}

  @Get('server-names')
  async serverNames(@CurrentUser() user: User): Promise<{ serverNames: string[] }> {
    return { serverNames: await this.dialect.lists.serverNames(user) };
  }

  @Get('server-status')
  async serverStatus(@CurrentUser() user: User): Promise<{ servers: ServerBody[] }> {
    return { servers: await this.dialect.lists.servers(user) };
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
