import { Controller, Get, Inject, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser, HttpUserGuard } from '../auth/http-user.guard.js';
import type { User } from '../auth/user.js';
import { artifactFile } from './artifact-file.js';
import { Artifacts } from './artifacts.js';
import { sendContent } from './send-content.js';

@Controller('api/artifacts')
@UseGuards(HttpUserGuard)
export class ArtifactsController {
  constructor(@Inject(Artifacts) private readonly artifacts: Artifacts) {}

  /** HEAD as well. */
  @Get(':id')
  async read(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!(await this.artifacts.places.enter(user.id, response))) return;
    const { content, headers } = artifactFile(await this.artifacts.read(user, id));
    response.set(headers);
    sendContent(request, response, content);
  }
}
