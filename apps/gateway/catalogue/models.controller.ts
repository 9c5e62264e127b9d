import { Controller, Get, UseGuards } from '@nestjs/common';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { HttpUserGuard } from '../people/auth/http-user.guard.js';
import { OfferedModels } from './offered-models.js';

interface ModelsBody {
  /** Of turns that name none; absent while it is unknown, or orchestrators differ. */
  default?: string;
  /** Names, and patterns with `*`, that a message or a conversation may name. */
  allowed: readonly string[];
}

@Controller('api/models')
@UseGuards(HttpUserGuard)
export class ModelsController {
  constructor(@FromGateway() private readonly gateway: { offeredModels: OfferedModels }) {}

  @Get()
  list(): ModelsBody {
    const { defaultModel, allowed = [] } = this.gateway.offeredModels;
    return { ...(defaultModel !== undefined && { default: defaultModel }), allowed };
  }
}
