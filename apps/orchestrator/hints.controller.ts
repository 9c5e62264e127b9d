import { Controller } from '@nestjs/common';
import type { Message } from '#contracts';
import { Handles, HandlesDead, type BusContext, type DeadDelivery, type DeliveryOutcome } from '#messaging';
import { Orchestrator } from './orchestrator.js';

/** The entrance of hints: from `turns`, `results` and `dead-letters`, and as control messages. */
@Controller()
export class HintsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Handles('turn.advance')
  advance({ body }: Message<'turn.advance'>, context: BusContext): Promise<DeliveryOutcome> {
    return this.orchestrator.advance(body, context.delivery);
  }

  @Handles('tool.result')
  result(message: Message<'tool.result'>, context: BusContext): Promise<DeliveryOutcome> {
    return this.orchestrator.result(message.body, context.delivery, message.traceparent);
  }

  @HandlesDead()
  dead(dead: DeadDelivery): Promise<void> {
    return this.orchestrator.dead(dead);
  }

  @Handles('catalog.announce')
  announce({ body }: Message<'catalog.announce'>): void {
    this.orchestrator.catalogue.announce(body);
    this.orchestrator.shares.placesChanged();
  }

  @Handles('catalog.withdraw')
  withdraw({ body }: Message<'catalog.withdraw'>): void {
    this.orchestrator.catalogue.withdraw(body);
    this.orchestrator.shares.placesChanged();
  }

  @Handles('model.limited')
  limited({ body }: Message<'model.limited'>): void {
    this.orchestrator.modelLimits.limited(body);
  }

  @Handles('calls.counted')
  counted({ body }: Message<'calls.counted'>): void {
    this.orchestrator.shares.counted(body);
  }

  @Handles('model.roll_call')
  modelRollCall({ body }: Message<'model.roll_call'>): void {
    this.orchestrator.models.announce(body.reply_to);
  }

  @Handles('switches.changed')
  switchesChanged(): Promise<void> {
    return this.orchestrator.switches.read();
  }

  @Handles('turn.superseded')
  superseded({ body }: Message<'turn.superseded'>): void {
    this.orchestrator.superseded(body);
  }

  @Handles('turn.stop')
  stop({ body }: Message<'turn.stop'>): void {
    this.orchestrator.stop(body);
  }

  @Handles('turn.peek')
  peek({ body }: Message<'turn.peek'>): void {
    this.orchestrator.peek(body);
  }
}
