import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import type { Time } from '#time';
import { CurrentUser, HttpUserGuard } from '../../people/auth/http-user.guard.js';
import type { User } from '../../people/auth/user.js';
import { OfferedModels } from '../../catalogue/offered-models.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { chosenModel, findModel, listModels, type ServedModel } from './served-models.js';

@Controller('v1/models')
@UseGuards(HttpUserGuard)
export class ModelsController {
  /** Seconds since epoch: models are as old as the process that serves them. */
  private readonly created: number;

  constructor(@FromParts() private readonly dialect: { models: OfferedModels; time: Time }) {
    this.created = Math.floor(dialect.time.clock.wall() / 1000);
  }

  @Get()
  list(): { object: 'list'; data: ServedModel[] } {
    return { object: 'list', data: listModels(this.created, this.dialect.models.allowed) };
  }

  @Get(':id')
  get(@CurrentUser() user: User, @Param('id') id: string): ServedModel {
    const model = findModel(this.created, id);
    this.dialect.models.check(chosenModel(id), user);
    return model;
  }
}
