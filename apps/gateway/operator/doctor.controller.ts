import { Controller, Get, UseGuards } from '@nestjs/common';
import type { Checked } from '#contracts';
import { HttpUserGuard } from '../people/auth/http-user.guard.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { OperatorGuard } from './operator.guard.js';
import { SelfCheck } from './self-check.js';

/** What this process finds wrong with its store and its broker, for operators. */
@Controller('api/admin/doctor')
@UseGuards(HttpUserGuard, OperatorGuard)
export class DoctorController {
  constructor(@FromGateway() private readonly gateway: { selfCheck: SelfCheck }) {}

  @Get()
  check(): Promise<Checked[]> {
    return this.gateway.selfCheck.check();
  }
}
