import { Controller } from '@nestjs/common';
import type { Message } from '#contracts';
import { Handles } from '#messaging';
import { SharedCounts } from './limits/shared-counts.js';
import { OfferedTools } from './catalogue/offered-tools.js';
import { OfferedModels } from './catalogue/offered-models.js';
import type { OpenDialect } from './dialects/host/dialect.js';
import { DriverRequests } from './turns/driver-requests.js';
import { FromGateway } from './http/from-gateway.decorator.js';

/** Control messages from other processes. */
@Controller()
export class ControlController {
  constructor(
    @FromGateway()
    private readonly gateway: {
      offeredTools: OfferedTools;
      offeredModels: OfferedModels;
      drivers: DriverRequests;
      counts: SharedCounts;
      switches: { read(): Promise<void> };
      openDialects: readonly OpenDialect[];
    },
  ) {}

  @Handles('catalog.announce')
  announce({ body }: Message<'catalog.announce'>): void {
    this.gateway.offeredTools.announce(body);
  }

  @Handles('catalog.withdraw')
  withdraw({ body }: Message<'catalog.withdraw'>): void {
    this.gateway.offeredTools.withdraw(body);
  }

  @Handles('model.announce')
  announceModels({ body }: Message<'model.announce'>): void {
    this.gateway.offeredModels.announce(body);
  }

  @Handles('turn.stopped')
  stopped({ body }: Message<'turn.stopped'>): void {
    this.gateway.drivers.receive(body);
  }

  @Handles('turn.partial')
  partial({ body }: Message<'turn.partial'>): void {
    this.gateway.drivers.receive(body);
  }

  @Handles('socket.probe')
  probeSockets({ body }: Message<'socket.probe'>): void {
    for (const { control } of this.gateway.openDialects) control?.['socket.probe'](body);
  }

  @Handles('switches.changed')
  switchesChanged(): Promise<void> {
    return this.gateway.switches.read();
  }

  @Handles('limits.counted')
  counted({ body }: Message<'limits.counted'>): void {
    this.gateway.counts.receive(body);
  }
}
