import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { Message } from '#contracts';
import { roleTransport } from '#messaging';
import { SharedCounts } from '../auth/shared-counts.js';
import { OfferedTools } from '../catalogue/offered-tools.js';
import { OfferedModels } from '../catalogue/offered-models.js';
import { GenesisSockets } from '../dialects/genesis-chat/genesis-sockets.js';
import { DriverRequests } from './driver-requests.js';

const GATEWAY = roleTransport('gateway');

/** Control messages that a gateway acts on; each has a handler below. */
export const CONTROL_TYPES = [
  'catalog.announce',
  'catalog.withdraw',
  'model.announce',
  'turn.stopped',
  'turn.partial',
  'socket.probe',
  'limits.counted',
] as const;

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

  @MessagePattern('catalog.announce', GATEWAY)
  announce(@Payload() { body }: Message<'catalog.announce'>): void {
    this.offered.announce(body);
  }

  @MessagePattern('catalog.withdraw', GATEWAY)
  withdraw(@Payload() { body }: Message<'catalog.withdraw'>): void {
    this.offered.withdraw(body);
  }

  @MessagePattern('model.announce', GATEWAY)
  announceModels(@Payload() { body }: Message<'model.announce'>): void {
    this.models.announce(body);
  }

  @MessagePattern('turn.stopped', GATEWAY)
  stopped(@Payload() { body }: Message<'turn.stopped'>): void {
    this.drivers.receive(body);
  }

  @MessagePattern('turn.partial', GATEWAY)
  partial(@Payload() { body }: Message<'turn.partial'>): void {
    this.drivers.receive(body);
  }

  @MessagePattern('socket.probe', GATEWAY)
  probeSockets(@Payload() { body }: Message<'socket.probe'>): void {
    this.genesisSockets.probe(body.user_id);
  }

  @MessagePattern('limits.counted', GATEWAY)
  counted(@Payload() { body }: Message<'limits.counted'>): void {
    this.counts.receive(body);
  }
}
