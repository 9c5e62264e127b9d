import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Message } from '#contracts';
import type { BusContext, DeadDelivery, DeliveryOutcome } from '#messaging';
import { Orchestrator } from './orchestrator.js';

/** Where hints enter: from `turns`, `results` and `dead-letters`, and as control messages. */
@Controller()
export class HintsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @MessagePattern('turn.advance')
  advance(
    @Payload() { body }: Message<'turn.advance'>,
    @Ctx() context: BusContext,
  ): Promise<DeliveryOutcome> {
    return this.orchestrator.advance(body, context.delivery);
  }

  @MessagePattern('tool.result')
  result(@Payload() { body }: Message<'tool.result'>, @Ctx() context: BusContext): Promise<DeliveryOutcome> {
    return this.orchestrator.result(body, context.delivery);
  }

  @MessagePattern('dead')
  dead(@Payload() dead: DeadDelivery): Promise<void> {
    return this.orchestrator.dead(dead);
  }

  @MessagePattern('catalog.announce')
  announce(@Payload() { body }: Message<'catalog.announce'>): void {
    this.orchestrator.catalogue.announce(body);
    this.orchestrator.shares.placesChanged();
  }

  @MessagePattern('catalog.withdraw')
  withdraw(@Payload() { body }: Message<'catalog.withdraw'>): void {
    this.orchestrator.catalogue.withdraw(body);
    this.orchestrator.shares.placesChanged();
  }

  @MessagePattern('model.limited')
  limited(@Payload() { body }: Message<'model.limited'>): void {
    this.orchestrator.modelLimits.limited(body);
  }

  @MessagePattern('calls.counted')
  counted(@Payload() { body }: Message<'calls.counted'>): void {
    this.orchestrator.shares.counted(body);
  }

  @MessagePattern('model.roll_call')
  modelRollCall(@Payload() { body }: Message<'model.roll_call'>): void {
    this.orchestrator.models.announce(body.reply_to);
  }

  @MessagePattern('turn.superseded')
  superseded(@Payload() { body }: Message<'turn.superseded'>): void {
    this.orchestrator.superseded(body);
  }

  @MessagePattern('turn.stop')
  stop(@Payload() { body }: Message<'turn.stop'>): void {
    this.orchestrator.stop(body);
  }

  @MessagePattern('turn.peek')
  peek(@Payload() { body }: Message<'turn.peek'>): void {
    this.orchestrator.peek(body);
  }
}
