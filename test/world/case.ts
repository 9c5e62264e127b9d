import { expect } from '@jest/globals';
import type { Journal, TurnView } from '#contracts';
import type { FaultPointName } from '#faults';
import { outcomeOf } from '#turn';
import { contentOf, type PlannedCall } from '../soak/plan.js';
import { Random } from '../soak/random.js';
import { Device } from './device.js';
import { STEADY, type Weather } from './faults.js';
import { judgeWorld, settle } from './judge-world.js';
import { KINDS, type Kind } from './kinds.js';
import { sendMessage, stopTurn } from './requests.js';
import type { SimulatedProcess } from './simulated-process.js';
import { Strikes, type Strike } from './strikes.js';
import { World } from './world.js';

export interface CaseSettings {
  seed?: number;
  /** Processes of each kind; default two. */
  of?: Partial<Record<Kind, number>>;
  weather?: Partial<Weather>;
  /** Workers have no store and ask the orchestrators. */
  hasLedger?: boolean;
}

type Steps = PlannedCall[][];

const LONGEST_MS = 20 * 60_000;
const POLL_MS = 50;
/** Older than a process that has only just connected, so that each suspects as it does in a fleet that runs. */
const OLD_MS = 12_000;
/** Longer than a gateway is silent before it looks into the store. */
const LINGERS_MS = 15_000;
const USER = 'local';

/**
 * A fleet in which nothing happens that a test does not ask for, and a conversation that two people follow. All waits
 * are for the world's time, so a whole case takes milliseconds.
 */
export class Case {
  readonly world: World;
  readonly random: Random;
  readonly ann: Device;
  readonly bob: Device;
  conversationId = '';
  private readonly turnIds: string[] = [];
  private messages = 0;

  private constructor(private readonly settings: CaseSettings) {
    const { seed = 1, weather, hasLedger } = settings;
    this.world = new World(seed, hasLedger);
    this.random = new Random(seed);
    const { faults } = this.world;
    faults.model = STEADY;
    faults.weather = { ...faults.weather, ...weather };
    this.ann = this.device('ann');
    this.bob = this.device('bob');
  }

  /**
   * Plays `script` in a fleet that runs. Afterwards everything must come right: all turns and calls end, every viewer
   * holds what the store says, no promise is broken, no process logs an error.
   */
  static play(settings: CaseSettings, script: (play: Case) => Promise<void>): Promise<void> {
    return Case.playToDeletion(settings, async (play) => {
      await play.move('the script to end', script(play));
      await play.move('everything to end', play.finish());
      await settle(play.world);
      expect(await judgeWorld(play.world, [play.ann, play.bob], play.random.fork())).toEqual([]);
    });
  }

  /** The same where nothing is left to look at: `script` moves the time itself. */
  static async playToDeletion(settings: CaseSettings, script: (play: Case) => Promise<void>): Promise<void> {
    const play = new Case(settings);
    const { world } = play;
    await world.open();
    try {
      await play.begin();
      await script(play);
      expect(world.promises.findings).toEqual([]);
      expect(play.errors).toEqual([]);
    } finally {
      await world.close();
    }
  }

  start(kind: Kind, place = `${kind}-${this.world.processes.length + 1}`): SimulatedProcess {
    return this.world.add(new KINDS[kind](this.world, place, { wallAheadMs: 0 }));
  }

  living(kind: Kind): SimulatedProcess[] {
    return this.world.living().filter((process) => process.kind === kind);
  }

  /** At the first passages from now on. */
  arm(...strikes: Strike[]): void {
    this.world.strikes = new Strikes(this.world, strikes);
  }

  /** Whichever process of the kind passes the point first. */
  killAt(kind: Kind, point: FaultPointName): void {
    this.arm({ how: 'kill', kind, point, afterMs: 0, forMs: 0 });
  }

  /** Whatever it does. */
  killOne(kind: Kind): void {
    this.world.end(this.living(kind)[0]!, 'kill');
  }

  get isStruck(): boolean {
    return (this.world.strikes?.counts.size ?? 0) > 0;
  }

  /** What the model is to do for a message, under an id that is the same when it is sent again. */
  message(steps: Steps): { conversation_id?: string; client_message_id: string; content: string } {
    const name = `message-${++this.messages}`;
    const conversation_id = this.conversationId || undefined;
    return { conversation_id, client_message_id: name, content: contentOf({ name, steps }) };
  }

  /** Resolves with the turn once a gateway has taken it. */
  async send(device: Device, message: Steps | ReturnType<Case['message']>): Promise<string> {
    const body = Array.isArray(message) ? this.message(message) : message;
    const taken = await sendMessage(this.world, device.name, { body, device: () => device });
    this.conversationId = taken.conversation_id;
    if (!this.turnIds.includes(taken.turn_id)) this.turnIds.push(taken.turn_id);
    return taken.turn_id;
  }

  /** Resolves with the calls that may be running. */
  stop(device: Device, turn_id: string): Promise<string[] | undefined> {
    return stopTurn(this.world, device.name, { turn_id, device: () => device });
  }

  async until(what: string, isSo: () => boolean | undefined, limitMs = 90_000): Promise<void> {
    const { clock } = this.world;
    for (const givesUpAt = clock.now() + limitMs; !isSo();) {
      if (clock.now() >= givesUpAt) throw new Error(`Within ${limitMs} ms this did not happen: ${what}`);
      await clock.sleep(POLL_MS);
    }
  }

  /** Both have seen the end of the turn. */
  ended(turnId: string): Promise<void> {
    return this.until(`the end of turn ${turnId}`, () =>
      [this.ann, this.bob].every((device) => device.hasSeenEnd(turnId)),
    );
  }

  /** Nothing is frozen any more. */
  thawed(): Promise<void> {
    const isFrozen = () => this.world.living().some(({ clock }) => clock.state === 'frozen');
    return this.until('every process is thawed', () => !isFrozen());
  }

  async journal(turnId: string): Promise<Journal> {
    const journal = await this.world.database.readJournal(turnId);
    if (!journal) throw new Error(`${turnId} is not in the store`);
    return journal;
  }

  /** For each call of the turn: `success` or its kind of error, and how often its tool was started. */
  async calls(turnId: string): Promise<{ end: string; starts: number }[]> {
    const journal = await this.journal(turnId);
    return journal.steps.flatMap(({ calls }) =>
      calls.map(({ tool_call_id }) => {
        const outcome = outcomeOf(journal, tool_call_id);
        return {
          end: outcome?.error?.error_type ?? outcome?.status ?? 'open',
          starts: this.world.starts.filter((start) => start.tool_call_id === tool_call_id).length,
        };
      }),
    );
  }

  /** As Ann sees it. */
  view(turnId: string): TurnView | undefined {
    return this.ann.turn(turnId);
  }

  /** Lets time pass until the work is done. */
  async move<T>(what: string, work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => void (isOver = true);
    work.then(over, over);
    await this.world.clock.runUntil(what, () => isOver, LONGEST_MS);
    return work;
  }

  private device(name: string): Device {
    return new Device(this.world, name, USER, this.random.fork());
  }

  /** A fleet that has run for a while, and a conversation with one turn that both follow. */
  private async begin(): Promise<void> {
    const { world, settings } = this;
    for (const kind of Object.keys(KINDS) as Kind[])
      for (let i = 1; i <= (settings.of?.[kind] ?? 2); i++) this.start(kind, `${kind}-${i}`);
    const areReady = () => world.processes.every(({ isReady }) => isReady);
    await world.clock.runUntil('every process is ready', areReady, 60_000);
    await world.clock.advance(OLD_MS);
    await this.move('the first turn', this.sayHello());
  }

  private async sayHello(): Promise<void> {
    const turnId = await this.send(this.ann, []);
    for (const device of [this.ann, this.bob]) device.follow(this.conversationId);
    await this.ended(turnId);
  }

  private async finish(): Promise<void> {
    const { world, turnIds } = this;
    const devices = [this.ann, this.bob];
    await this.until('every end is seen', () => devices.every((device) => device.hasSeenAll(turnIds)));
    world.isCalm = true;
    await world.clock.sleep(LINGERS_MS);
    for (const device of devices) device.leave(this.conversationId);
  }

  private get errors(): string[] {
    return this.world.complaints.filter((line) => /"level":"(error|fatal)"/.test(line));
  }
}
