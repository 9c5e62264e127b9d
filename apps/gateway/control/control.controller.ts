import { Controller, Inject } from '@nestjs/common';
import type { Message } from '#contracts';
import { Handles } from '#messaging';
import { SharedCounts } from '../auth/shared-counts.js';
import { OfferedTools } from '../catalogue/offered-tools.js';
import { OfferedModels } from '../catalogue/offered-models.js';
import { GenesisSockets } from '../dialects/genesis-chat/genesis-sockets.js';
import { DriverRequests } from './driver-requests.js';

/** What other processes tell this one. */
@Controller()
export class ControlController {
  constructor(
    @Inject(OfferedTools) private readonly offered: OfferedTools,
    @Inject(OfferedModels) private readonly models: OfferedModels,
    @Inject(DriverRequests) private readonly drivers: DriverRequests,
    @Inject(GenesisSockets) private readonly genesisSockets: GenesisSockets,
    @Inject(SharedCounts) private readonly counts: SharedCounts,
  ) {}

  @Handles('catalog.announce')
  announce({ body }: Message<'catalog.announce'>): void {
    this.offered.announce(body);
  }

  @Handles('catalog.withdraw')
  withdraw({ body }: Message<'catalog.withdraw'>): void {
    this.offered.withdraw(body);
  }

  @Handles('model.announce')
  announceModels({ body }: Message<'model.announce'>): void {
    this.models.announce(body);
  }

  @Handles('turn.stopped')
  stopped({ body }: Message<'turn.stopped'>): void {
    this.drivers.receive(body);
  }

  @Handles('turn.partial')
  partial({ body }: Message<'turn.partial'>): void {
    this.drivers.receive(body);
  }

  @Handles('socket.probe')
  probeSockets({ body }: Message<'socket.probe'>): void {
    this.genesisSockets.probe(body.user_id);
  }

  @Handles('limits.counted')
  counted({ body }: Message<'limits.counted'>): void {
    this.counts.receive(body);
  }
}
