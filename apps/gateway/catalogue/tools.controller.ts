import { Controller, Get, UseGuards } from '@nestjs/common';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { OfferedTools } from './offered-tools.js';
import { toToolBody, type ToolBody } from './tool-body.js';

@Controller('api/tools')
@UseGuards(HttpUserGuard)
export class ToolsController {
  constructor(@FromGateway() private readonly gateway: { offeredTools: OfferedTools }) {}

  @Get()
  async list(@CurrentUser() user: User): Promise<{ tools: ToolBody[] }> {
    return { tools: (await this.gateway.offeredTools.listFor(user)).map(toToolBody) };
  }
}
