import { Controller, Get, Inject, Param, UseGuards } from '@nestjs/common';
import { CurrentUser, HttpUserGuard } from '../../auth/http-user.guard.js';
import type { User } from '../../auth/user.js';
import { OfferedModels } from '../../catalogue/offered-models.js';
import { chosenModel, findModel, listModels, type ServedModel } from './served-models.js';

@Controller('v1/models')
@UseGuards(HttpUserGuard)
export class ModelsController {
  constructor(@Inject(OfferedModels) private readonly models: OfferedModels) {}

  @Get()
  list(): { object: 'list'; data: ServedModel[] } {
    return { object: 'list', data: listModels(this.models.allowed) };
  }

  @Get(':id')
  get(@CurrentUser() user: User, @Param('id') id: string): ServedModel {
    const model = findModel(id);
    this.models.check(chosenModel(id), user);
    return model;
  }
}
