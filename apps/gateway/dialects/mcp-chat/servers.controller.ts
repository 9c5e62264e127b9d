import { Controller, Get, Header, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { CurrentUser, HttpUserGuard } from '../../people/auth/http-user.guard.js';
import type { User } from '../../people/auth/user.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { Connections } from './connections.js';
import { Servers, type Server, type ToolOfServer } from './servers.js';
import { CurrentSession } from './current-session.pipe.js';

type StatusBody =
  | { connected: true; server_id: string; tools: ToolOfServer[] }
  | { connected: false; server_id: null; tools: [] };

@Controller()
@UseGuards(HttpUserGuard)
export class ServersController {
  constructor(@FromParts() private readonly dialect: { servers: Servers; connections: Connections }) {}

  @Get('servers')
  @Header('Cache-Control', 'no-store')
  async list(@CurrentUser() user: User): Promise<(Server & { path: string })[]> {
    const servers = await this.dialect.servers.list(user);
    return servers.map(({ id, name, ...tools }) => ({ id, name, path: `toolset:${id}`, ...tools }));
  }

  @Post('connect/:id')
  @HttpCode(200)
  async connect(
    @CurrentUser() user: User,
    @CurrentSession() session: string,
    @Param('id') id: string,
  ): Promise<{ success: true; server_id: string; server_name: string; tools: ToolOfServer[] }> {
    const {
      id: server_id,
      name: server_name,
      tools,
    } = await this.dialect.connections.connect(user, session, id);
    return { success: true, server_id, server_name, tools };
  }

  @Get('status')
  @Header('Cache-Control', 'no-store')
  async status(@CurrentUser() user: User, @CurrentSession() session: string): Promise<StatusBody> {
    const server = await this.dialect.connections.status(user, session);
    return server
      ? { connected: true, server_id: server.id, tools: server.tools }
      : { connected: false, server_id: null, tools: [] };
  }

  @Post('disconnect')
  @HttpCode(200)
  async disconnect(@CurrentUser() user: User, @CurrentSession() session: string): Promise<{ success: true }> {
    await this.dialect.connections.disconnect(user, session);
    return { success: true };
  }
}
