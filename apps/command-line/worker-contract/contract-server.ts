import { Member, type BusIdentity } from '#bootstrap';
import {
  controlKey,
  newMessage,
  switchIdOf,
  type Body,
  type ConversationEvent,
  type LedgerRequestType,
  type Message,
} from '#contracts';
import { noFaults } from '#faults';
import type { JournalObserver, Ports } from '#journal';
import { Ledger, ledgerQueues } from '#ledger';
import { createRabbitmqBus, type Bus } from '#messaging';
import { createLogger } from '#observability';
import { createStore } from '#store';
import { systemTime, timestampOf } from '#time';

/** The group and the toolset of the worker that is tried. */
export const GROUP = { name: 'contract', toolsets: ['contract'] };

type Request = Message<LedgerRequestType>;

/** What happens to a request: `lost` before it is served, `unanswered` after, or served `twice`. */
export type Fate = 'served' | 'lost' | 'unanswered' | 'twice';

const silent = (): void => undefined;
const observer: JournalObserver = {
  callSettled: silent,
  turnEnded: silent,
  repaired: silent,
  deadLettered: silent,
};

/** One orchestrator without turns of its own: the ledger, with a store in memory and faults that a case asks for. */
export class ContractServer {
  /** Decides about each request that is not a beat. */
  fateOf: (request: Request) => Fate | Promise<Fate> = () => 'served';
  /** Requests in the order of their arrival, without beats. */
  readonly requests: Request[] = [];
  readonly announcements: Body<'catalog.announce'>[] = [];
  readonly withdrawn: string[] = [];
  readonly events: ConversationEvent[] = [];
  readonly deadLetters: string[] = [];
  /** Why requests cannot be read. */
  readonly unreadable: string[] = [];
  private readonly unanswered = new Set<string>();
  private readonly store = createStore({ dataDir: ':memory:' });
  private readonly member: Member;
  /** Once it is open. */
  private ledger?: Ledger;

  constructor(url: string) {
    const logger = createLogger({ role: 'orchestrator', level: 'error', pretty: false });
    this.member = new Member({
      role: 'orchestrator',
      store: this.store,
      createBus: (identity) => this.createBus(url, identity),
      logger,
      faultPoint: noFaults,
      onGone: silent,
      ...systemTime(),
    });
  }

  get ports(): Ports & { bus: Bus } {
    const { store, bus, peers, processId: me, clock, random, faultPoint } = this.member.part;
    const log = { info: silent, warn: silent, error: silent };
    const tokenOf: Ports['tokenOf'] = (ticket) => this.tokenOf(ticket);
    return { store, bus, me, peers, log, observer, clock, random, faultPoint, tokenOf };
  }

  /** Where the suite receives control messages. */
  get key(): string {
    return controlKey(this.member.processId);
  }

  async open(): Promise<void> {
    await this.store.open();
    await this.member.start();
    const { switches } = this.member;
    const { ports } = this;
    const metrics = { ledgerRequests: { inc: silent }, ledgerDrops: { inc: silent } };
    const ledger = await Ledger.open({
      ports,
      groups: [GROUP],
      switches,
      workersOf: () => 1,
      outputBytesOf: () => undefined,
      onSettled: () => undefined,
      metrics,
    });
    this.ledger = ledger;
    const identity = { role: 'orchestrator', processId: ports.me } as const;
    await ports.bus.onControl(identity, (message) => this.receive(message));
    for (const { queue, prefetch } of ledgerQueues([GROUP]))
      await ports.bus.consume(queue, { prefetch }, async ({ message }) => {
        await this.serve(message as Request);
        return 'ack';
      });
    await ports.bus.consumeDead(async ({ content }) => void this.deadLetters.push(content.toString()));
  }

  async close(): Promise<void> {
    this.ledger?.close();
    await this.member.leave();
    await this.member.bus.close();
    await this.store.close();
  }

  tokenOf(call: Parameters<Ledger['tokenOf']>[0]): string | undefined {
    return this.ledger?.tokenOf(call);
  }

  /** An operator pauses a tool, or resumes it. */
  async pause(toolName: string, isPaused: boolean): Promise<void> {
    const { store } = this.member;
    const id = switchIdOf('tool', toolName);
    const at = timestampOf(this.member.clock);
    if (isPaused) await store.putSwitch({ _id: id, kind: 'tool', name: toolName, by: 'the suite', at });
    else await store.removeSwitch(id);
    await this.member.switches.read();
  }

  async rollCall(worker: string): Promise<void> {
    const { ports, key } = this;
    const message = newMessage(ports, 'catalog.roll_call', { reply_to: key });
    await ports.bus.send(controlKey(worker), message);
  }

  private receive(message: Message): void {
    if (message.type === 'catalog.announce') this.announcements.push(message.body);
    else if (message.type === 'catalog.withdraw') this.withdrawn.push(message.body.worker);
    else if (message.type.startsWith('ledger.')) void this.serve(message as Request);
  }

  private async serve(request: Request): Promise<void> {
    if (request.type === 'ledger.beat' || request.type === 'ledger.pulse') return this.ledger?.serve(request);
    this.requests.push(request);
    if (request.type === 'ledger.unreadable') this.unreadable.push(request.body.reason);
    const fate = await this.fateOf(request);
    if (fate === 'lost') return;
    const { request_id } = request.body as Body<'ledger.leave'>;
    if (fate === 'unanswered') this.unanswered.add(request_id);
    else this.unanswered.delete(request_id);
    await this.ledger?.serve(request);
    if (fate === 'twice') await this.ledger?.serve(request);
  }

  private createBus(url: string, identity: BusIdentity): Bus {
    const warn = (fields: object, text: string): void => {
      const { reason } = fields as { reason?: string };
      if (text.startsWith('unreadable')) this.unreadable.push(reason ?? text);
    };
    const logger = { info: silent, warn, error: silent };
    const bus = createRabbitmqBus({ url, groups: [GROUP], logger, ...identity });
    const send = bus.send.bind(bus);
    bus.send = (key, message) => {
      const isLost = message.type === 'ledger.answered' && this.unanswered.has(message.body.request_id);
      return isLost ? Promise.resolve('confirmed') : send(key, message);
    };
    const emit = bus.emit.bind(bus);
    bus.emit = (event) => {
      this.events.push(event);
      emit(event);
    };
    return bus;
  }
}
