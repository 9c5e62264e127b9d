import { Controller, Get, Inject, UseGuards } from '@nestjs/common';
import { HttpUserGuard } from '../auth/http-user.guard.js';
import { OfferedTools } from './offered-tools.js';
import { toToolBody, type ToolBody } from './tool-body.js';

@Controller('api/tools')
@UseGuards(HttpUserGuard)
export class ToolsController {
  constructor(@Inject(OfferedTools) private readonly offered: OfferedTools) {}

  @Get()
  list(): { tools: ToolBody[] } {
    return { tools: this.offered.list().map(toToolBody) };
  }
}
