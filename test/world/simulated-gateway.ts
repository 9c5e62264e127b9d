import { Member } from '#bootstrap';
import { BusStrategy } from '#messaging';
import { Health } from '#observability';
import { LOCAL_USER } from '../../apps/gateway/people/auth/user.js';
import { ControlController } from '../../apps/gateway/control.controller.js';
import { gatewayDefaults } from '../../apps/gateway/gateway-defaults.js';
import { openConfig } from '../../apps/gateway/testing/open-config.js';
import { Gateway } from '../../apps/gateway/gateway.js';
import { settingsFileSchema, toSettings } from '../../libs/bootstrap/config/settings-file.js';
import { addHandlers } from './add-handlers.js';
import { SimulatedProcess, type Part } from './simulated-process.js';
import { SimulatedSocket, SimulatedSockets, type ClientEnd } from './simulated-sockets.js';
import { metrics, type World } from './world.js';

/** One person writes as much as many. */
const { limits } = toSettings(
  settingsFileSchema.parse({
    limits: { connections_per_minute: 1_000_000, messages_per_minute: 1_000_000, turns_at_once: 1_000_000 },
  }),
);

export class SimulatedGateway extends SimulatedProcess<Member> {
  gateway: Gateway | undefined;
  private readonly sockets = new SimulatedSockets();

  constructor(world: World, place: string, options: { wallAheadMs: number }) {
    super(world, 'gateway', place, options, (member) => new Member(member));
  }

  protected async play(): Promise<Part> {
    const { member, world } = this;
    const { bus, processId, clock } = member;
    const gateway = new Gateway({
      ...gatewayDefaults(),
      ...member.part,
      config: { ...openConfig(limits), dialects: [] },
      logger: world.logger,
      health: new Health(clock),
      metrics,
    });
    gateway.sessions.serve(this.sockets.asServer());
    const strategy = new BusStrategy(bus, { role: 'gateway', logger: world.logger });
    addHandlers(strategy, new ControlController(gateway));
    await strategy.startControl(processId);
    await gateway.start();
    this.gateway = gateway;
    return gateway;
  }

  /** As its HTTP controller does it; over a connection that takes its time. */
  async delete(conversationId: string): Promise<void> {
    await this.clock.sleep(this.world.faults.busDelayMs());
    await this.gateway!.conversations.delete(LOCAL_USER, conversationId);
  }

  /** Undefined: nobody listens. */
  connect(userId: string, client: ClientEnd, delayMs: () => number): SimulatedSocket | undefined {
    const { gateway, sockets } = this;
    if (!gateway || !this.isReady) return undefined;
    const socket: SimulatedSocket = new SimulatedSocket(userId, this.clock, client, delayMs, () => {
      sockets.sockets.delete(socket);
      gateway.sessions.end(socket.asSocket());
    });
    sockets.sockets.add(socket);
    this.clock.soon(() => gateway.sessions.begin(socket.asSocket()));
    return socket;
  }

  protected override disconnectClients(): void {
    for (const socket of [...this.sockets.sockets]) socket.close();
  }
}
