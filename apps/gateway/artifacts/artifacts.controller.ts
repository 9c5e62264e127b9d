import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { artifactFile } from './artifact-file.js';
import { Artifacts } from './artifacts.js';
import { sendContent } from './send-content.js';

@Controller('api/artifacts')
@UseGuards(HttpUserGuard)
export class ArtifactsController {
  constructor(@FromGateway() private readonly gateway: { artifacts: Artifacts }) {}

  /** HEAD as well. */
  @Get(':id')
  async read(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!(await this.gateway.artifacts.places.enter(user.id, response))) return;
    const { content, headers } = artifactFile(await this.gateway.artifacts.read(user, id));
    response.set(headers);
    sendContent(request, response, content);
  }
}
