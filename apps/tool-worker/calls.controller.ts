import { Controller } from '@nestjs/common';
import type { Message } from '#contracts';
import { Handles, type DeliveryOutcome } from '#messaging';
import { ToolWorker } from './tool-worker.js';

/** Entry point of calls, from the queues of this worker's toolsets, and of control messages about calls. */
@Controller()
export class CallsController {
  constructor(private readonly worker: ToolWorker) {}

  @Handles('tool.call')
  call(message: Message<'tool.call'>): Promise<DeliveryOutcome> {
    return this.worker.call(message);
  }

  @Handles('tool.cancel')
  cancel({ body }: Message<'tool.cancel'>): Promise<void> {
    return this.worker.cancel(body);
  }

  @Handles('tool.answered')
  answered({ body }: Message<'tool.answered'>): void {
    this.worker.answered(body);
  }

  @Handles('catalog.announce')
  announce({ body }: Message<'catalog.announce'>): void {
    this.worker.fleet.announce(body);
  }

  @Handles('catalog.withdraw')
  withdraw({ body }: Message<'catalog.withdraw'>): void {
    this.worker.fleet.withdraw(body);
  }

  @Handles('switches.changed')
  switchesChanged(): Promise<void> {
    return this.worker.switches.read();
  }

  @Handles('ledger.answered')
  ledgerAnswered({ body }: Message<'ledger.answered'>): void {
    this.worker.ledgerAnswered(body);
  }

  @Handles('catalog.roll_call')
  rollCall({ body }: Message<'catalog.roll_call'>): void {
    this.worker.rollCall(body);
  }
}
