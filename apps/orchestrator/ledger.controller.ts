import { Controller } from '@nestjs/common';
import { LEDGER_TYPES, type LedgerRequestType, type Message } from '#contracts';
import { HandlesEach } from '#messaging';
import { Orchestrator } from './orchestrator.js';

/** The entrance of what workers without the store ask: from the queues of their groups, and as control messages. */
@Controller()
export class LedgerController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @HandlesEach(LEDGER_TYPES)
  serve(message: Message<LedgerRequestType>): Promise<void> {
    return this.orchestrator.serveWorker(message);
  }
}
