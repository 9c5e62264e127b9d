import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { HttpUserGuard } from '../../auth/http-user.guard.js';
import { findModel, listModels, type ServedModel } from './served-models.js';

@Controller('v1/models')
@UseGuards(HttpUserGuard)
export class ModelsController {
  @Get()
  list(): { object: 'list'; data: ServedModel[] } {
    return { object: 'list', data: listModels() };
  }

  @Get(':id')
  get(@Param('id') id: string): ServedModel {
    return findModel(id);
  }
}
