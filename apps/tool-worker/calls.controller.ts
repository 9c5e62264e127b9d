import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { Message } from '#contracts';
import type { DeliveryOutcome } from '#messaging';
import { ToolWorker } from './tool-worker.js';

/** Where calls enter: from the queues of this worker's toolsets, and control messages about them. */
@Controller()
export class CallsController {
  constructor(private readonly worker: ToolWorker) {}

  @MessagePattern('tool.call')
  call(@Payload() { body }: Message<'tool.call'>): Promise<DeliveryOutcome> {
    return this.worker.call(body);
  }

  @MessagePattern('tool.cancel')
  cancel(@Payload() { body }: Message<'tool.cancel'>): Promise<void> {
    return this.worker.cancel(body);
  }

  @MessagePattern('tool.answered')
  answered(@Payload() { body }: Message<'tool.answered'>): void {
    this.worker.answered(body);
  }

  @MessagePattern('catalog.announce')
  announce(@Payload() { body }: Message<'catalog.announce'>): void {
    this.worker.fleet.announce(body);
  }

  @MessagePattern('catalog.withdraw')
  withdraw(@Payload() { body }: Message<'catalog.withdraw'>): void {
    this.worker.fleet.withdraw(body);
  }

  @MessagePattern('catalog.roll_call')
  rollCall(@Payload() { body }: Message<'catalog.roll_call'>): void {
    this.worker.rollCall(body);
  }
}
