import { Controller, Get, UseGuards } from '@nestjs/common';
import { HttpUserGuard } from '../people/auth/http-user.guard.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { OfferedTools } from './offered-tools.js';
import { toToolBody, type ToolBody } from './tool-body.js';

@Controller('api/tools')
@UseGuards(HttpUserGuard)
export class ToolsController {
  constructor(@FromGateway() private readonly gateway: { offeredTools: OfferedTools }) {}

  @Get()
  list(): { tools: ToolBody[] } {
    return { tools: this.gateway.offeredTools.list().map(toToolBody) };
  }
}
