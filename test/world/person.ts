import type { CallView } from '#contracts';
import { LOCAL_USER } from '../../apps/gateway/people/auth/user.js';
import { contentOf, makePlan } from '../soak/plan.js';
import type { Random } from '../soak/random.js';
import { Device } from './device.js';
import { sendMessage, stopTurn, type Taken } from './requests.js';
import { WORLD_TOOLS } from './simulated-tools.js';
import type { World } from './world.js';

const USER = LOCAL_USER.id;
const PATIENCE_MS = 180_000;
/** Longer than a gateway is silent before it looks into the store. */
const LINGERS_MS = 15_000;

/** Somebody at two devices: writes, sends again, answers what waits for them, presses Stop, loses connections. */
export class Person {
  readonly devices: [Device, Device];
  /** Who looks in later, in the middle of something. */
  private readonly visitors: Device[] = [];
  private number = 0;
  isDone = false;

  constructor(
    private readonly world: World,
    readonly name: string,
    private readonly plan: { turnsEach: number; stops: number },
    private readonly random: Random,
  ) {
    const device = (which: string) => new Device(world, `${name}-${which}`, USER, random.fork());
    this.devices = [device('a'), device('b')];
    this.devices[1].isSlow = random.chance(0.3);
  }

  /** One conversation of several turns; everything in it has been acknowledged and seen when it resolves. */
  async live(): Promise<void> {
    const { random, world } = this;
    let conversationId: string | undefined;
    const turnIds: string[] = [];
    for (let turn = 0; turn < this.plan.turnsEach; turn++) {
      const sent = await this.write(conversationId);
      conversationId = sent.conversation_id;
      turnIds.push(sent.turn_id);
      for (const device of this.devices) device.follow(conversationId);
      void this.attend(sent.turn_id);
      void this.disturb(sent.turn_id);
      if (random.chance(0.2)) void this.lookIn(conversationId);
      if (!random.chance(0.2)) await this.until(() => this.hasSeenEnd(sent.turn_id));
      await world.clock.sleep(random.float() * 1_000);
    }
    if (conversationId && random.chance(0.15)) return this.delete(conversationId);
    const sawAll = () => this.viewers.every((device) => device.hasSeenAll(turnIds));
    await this.until(sawAll);
    this.isDone = sawAll();
    // What somebody else answered may reach a viewer after everything else.
    await world.clock.sleep(LINGERS_MS);
    if (conversationId) for (const device of this.viewers) device.leave(conversationId);
  }

  get viewers(): Device[] {
    return [...this.devices, ...this.visitors];
  }

  private async lookIn(conversationId: string): Promise<void> {
    await this.world.clock.sleep(this.random.float() * 2_000);
    const name = `${this.name}-visitor-${this.visitors.length + 1}`;
    const visitor = new Device(this.world, name, USER, this.random.fork());
    this.visitors.push(visitor);
    visitor.follow(conversationId);
  }

  /** Until a gateway has taken it: without an answer nobody knows whether it is a turn. */
  private async write(conversationId: string | undefined): Promise<Taken> {
    const { random, world } = this;
    const client_message_id = `${this.name}-${++this.number}`;
    const body = {
      ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
      client_message_id,
      content: contentOf(makePlan(client_message_id, random, WORLD_TOOLS)),
    };
    const times = random.chance(0.2) ? 2 : 1;
    return sendMessage(world, this.name, {
      body,
      times,
      device: () => random.pick(this.devices),
      pauseMs: () => 100 + random.float() * 600,
    });
  }

  /** Whatever is still under way in it. */
  private async delete(conversation_id: string): Promise<void> {
    const { name: viewer, world } = this;
    for (let tries = 0; tries < 100 && !this.isDone; tries++) {
      this.isDone = await this.random.pick(this.devices).delete(conversation_id);
      if (!this.isDone) await world.clock.sleep(300);
    }
    if (this.isDone) world.request({ viewer, what: 'deleted', conversation_id });
    // What was on its way is shown, and the word that there is nothing more.
    await world.clock.sleep(LINGERS_MS);
    for (const device of this.viewers) device.forget(conversation_id);
  }

  private async disturb(turnId: string): Promise<void> {
    const { random, world } = this;
    await world.clock.sleep(random.float() * 3_000);
    if (random.chance(0.2)) random.pick(this.devices).drop();
    if (random.chance(this.plan.stops))
      await stopTurn(world, this.name, { turn_id: turnId, device: () => random.pick(this.devices) });
  }

  /** Until somebody has seen the end of the turn: answers what waits, at one device or at both at odds. */
  private async attend(turnId: string): Promise<void> {
    const { world } = this;
    const until = world.clock.now() + PATIENCE_MS;
    while (!this.hasSeenEnd(turnId) && world.clock.now() < until) {
      for (const call of this.waiting(turnId))
        await (call.state === 'awaiting_input' ? this.fillIn(turnId, call) : this.answer(turnId, call));
      await world.clock.sleep(250);
    }
  }

  private waiting(turnId: string): CallView[] {
    const turns = this.devices.flatMap((device) => device.turn(turnId) ?? []);
    const calls = turns.find(({ steps }) => steps.length > 0)?.steps.flatMap((step) => step.calls) ?? [];
    return calls.filter(
      ({ state, approval }) => state === 'awaiting_input' || (state === 'awaiting_approval' && !approval),
    );
  }

  /** At one device, or at both at once. */
  private async fillIn(turn_id: string, { tool_call_id, question }: CallView): Promise<void> {
    const { random, world } = this;
    await world.clock.sleep(random.float() * 800);
    const number = question?.number ?? 1;
    const body = random.chance(0.8) ? { content: { colour: 'red' } } : { action: 'decline' };
    const give = async (device: Device) => {
      const answer = await device.ask('input', { turn_id, tool_call_id, number, ...body });
      if (answer) world.promises.noteFilledIn(`${tool_call_id}:${number}`);
    };
    await Promise.all((random.chance(0.3) ? this.devices : [random.pick(this.devices)]).map(give));
  }

  private async answer(turn_id: string, { tool_call_id }: CallView): Promise<void> {
    const { random, world } = this;
    const [first, second] = random.chance(0.5) ? this.devices : this.devices.toReversed();
    const decision = random.chance(0.7) ? 'approve' : 'deny';
    const other = decision === 'approve' ? 'deny' : 'approve';
    await world.clock.sleep(random.float() * 800);
    const give = async (device: Device, said: 'approve' | 'deny') => {
      const told = { viewer: this.name, tool_call_id, decision: said };
      world.request({ what: 'approval', ...told });
      const answer = await device.ask('tool_approval', { turn_id, tool_call_id, decision: said });
      if (answer) world.request({ what: 'answered', ...told });
    };
    if (random.chance(0.25)) await Promise.all([give(first!, decision), give(second!, other)]);
    else await give(first!, decision);
  }

  private hasSeenEnd(turnId: string): boolean {
    return this.devices.some((device) => device.hasSeenEnd(turnId));
  }

  private async until(isSo: () => boolean): Promise<void> {
    const { clock } = this.world;
    const givesUpAt = clock.now() + PATIENCE_MS;
    while (!isSo() && clock.now() < givesUpAt) await clock.sleep(100);
  }
}
