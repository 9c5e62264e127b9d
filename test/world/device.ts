import { isEndedStatus } from '#contracts';
import type { ClientRequestName, ConversationEvent, Snapshot, TurnView, View } from '#contracts';
import { emptyView, hasEnded, reduce } from '#turn';
import { within } from '#time';
import { isNotFound } from '../../apps/gateway/errors/request-error.js';
import type { Seen } from '../soak/evidence.js';
import type { Random } from '../soak/random.js';
import type { SimulatedGateway } from './simulated-gateway.js';
import type { SimulatedSocket } from './simulated-sockets.js';
import type { World } from './world.js';

const PATIENCE_MS = 10_000;

/** One client: connected to some gateway, comes back when it is not, and holds what it was told. */
export class Device {
  readonly views = new Map<string, View>();
  readonly seen: Seen[] = [];
  private readonly followed = new Set<string>();
  private socket: SimulatedSocket | undefined;
  private gateway: SimulatedGateway | undefined;
  private readonly pending = new Set<() => void>();
  isSlow = false;

  constructor(
    private readonly world: World,
    readonly name: string,
    private readonly userId: string,
    private readonly random: Random,
  ) {
    this.connectSoon();
  }

  get gatewayPlace(): string | undefined {
    return this.gateway?.place;
  }

  /** The answer, or undefined: refused, or nobody knows. */
  ask(request: ClientRequestName, body: object): Promise<Record<string, unknown> | undefined> {
    const { world, socket, gateway } = this;
    if (!socket?.isOpen || !gateway) return world.clock.sleep(200).then(() => undefined);
    return new Promise((resolve) => {
      const giveUp = () => finish(undefined);
      const timer = world.clock.after(PATIENCE_MS, giveUp);
      this.pending.add(giveUp);
      const finish = (answer: Record<string, unknown> | undefined) => {
        timer.cancel();
        this.pending.delete(giveUp);
        resolve(answer);
      };
      const onAnswer = (answer: Record<string, unknown>) =>
        socket.answer(() => {
          if ('error' in answer) world.noteRefusal(this.name, request, answer.error as { code: string });
          finish('error' in answer ? undefined : answer);
        });
      socket.ask(
        () => void gateway.gateway!.socketRequests.handle(request, socket.asSocket(), body, onAnswer),
      );
    });
  }

  follow(conversationId: string): void {
    if (this.followed.has(conversationId)) return;
    this.followed.add(conversationId);
    void this.join(conversationId);
  }

  /** What it holds of the conversation now is the end. */
  leave(conversationId: string): void {
    this.followed.delete(conversationId);
    this.seen.push({ at: this.world.clock.wall(), left: conversationId });
    void this.ask('leave', { conversation_id: conversationId });
  }

  /** Over HTTP. False: nobody knows whether it is deleted. */
  async delete(conversationId: string): Promise<boolean> {
    const { gateway, world } = this;
    if (!gateway?.isReady) return false;
    const deleting = gateway.delete(conversationId).then(() => true, isNotFound);
    return within(world.clock, deleting, PATIENCE_MS).catch(() => false);
  }

  /** Nothing of it is to be compared: it was deleted. */
  forget(conversationId: string): void {
    this.followed.delete(conversationId);
    this.views.delete(conversationId);
  }

  drop(): void {
    this.socket?.close();
  }

  turn(turnId: string): TurnView | undefined {
    for (const view of this.views.values()) {
      const found = view.turns.find(({ turn_id }) => turn_id === turnId);
      if (found) return found;
    }
    return undefined;
  }

  hasSeenEnd(turnId: string): boolean {
    const turn = this.turn(turnId);
    return turn !== undefined && isEndedStatus(turn.status);
  }

  /** Also of all of its calls, which may come later. */
  hasSeenAll(turnIds: readonly string[]): boolean {
    return turnIds.every((id) => {
      const turn = this.turn(id);
      return turn && isEndedStatus(turn.status) && turn.steps.every(({ calls }) => calls.every(hasEnded));
    });
  }

  private connectSoon(): void {
    this.world.clock.after(50 + this.random.float() * 400, () => this.connect());
  }

  private connect(): void {
    if (this.world.isOver) return;
    const gateways = this.world.gateways();
    const gateway = gateways.length > 0 ? this.random.pick(gateways) : undefined;
    const delayMs = () => this.random.float() * (this.isSlow ? 4_000 : 5);
    const socket = gateway?.connect(this.userId, this, delayMs);
    if (!socket) return this.connectSoon();
    this.socket = socket;
    this.gateway = gateway;
    this.seen.push({ at: this.world.clock.wall(), link: 'up', gateway: gateway!.place });
    for (const id of this.followed) void this.join(id);
  }

  private async join(conversationId: string): Promise<void> {
    const { socket } = this;
    const answer = await this.ask('join', { conversation_id: conversationId });
    if (answer || this.socket !== socket || !socket?.isOpen || !this.followed.has(conversationId)) return;
    await this.world.clock.sleep(300);
    if (this.socket === socket && socket.isOpen) void this.join(conversationId);
  }

  receive(event: { type: string }): void {
    const told = event as ConversationEvent | Snapshot;
    if (!('conversation_id' in told)) return;
    const id = told.conversation_id;
    if (!this.followed.has(id) && told.type !== 'snapshot' && !this.views.has(id)) return;
    this.seen.push({ at: this.world.clock.wall(), event: told });
    this.views.set(id, reduce(this.views.get(id) ?? emptyView(id), told));
  }

  disconnected(): void {
    this.socket = undefined;
    this.gateway = undefined;
    this.seen.push({ at: this.world.clock.wall(), link: 'down', gateway: '' });
    for (const giveUp of [...this.pending]) giveUp();
    this.connectSoon();
  }
}
