import type { Journal } from '#contracts';
import {
  answerTo,
  claimsOn,
  inputId,
  lastQuestion,
  endingStep,
  holderOf,
  nextStepNumber,
  openCalls,
} from '../journal/journal.js';
import { CONVERSATION_ID, journalOf, turnRow } from './rows.js';
import { SimulatedDriver } from './simulated-driver.js';
import { SimulatedWorkers } from './simulated-workers.js';
import type { Tape } from './tape.js';
import { World } from './world.js';

const MAX_TURNS = 3;
const EIGHT_DAYS_MS = 8 * 24 * 3_600_000;
const GATEWAY = 'gateway-1';

/** A whole conversation of several turns with everything that may happen to it, one small step at a time. */
export class Simulation {
  readonly world: World;
  readonly workers: SimulatedWorkers;
  private drivers: SimulatedDriver[] = [];
  private processes = 0;

  constructor(private readonly tape: Tape) {
    this.world = new World(tape);
    this.workers = new SimulatedWorkers(this.world);
    this.world.partials = () => this.partials();
    this.submit();
  }

  /** Continues until the choices are used up. */
  wander(): void {
    while (!this.tape.isOver) {
      this.step();
      this.world.endFrame();
    }
  }

  /** From here on nothing fails and every process does its part. Returns the number of rounds that this took. */
  settleDown(maxRounds = 60): number {
    for (let round = 0; round < maxRounds; round++) {
      if (this.world.isQuiet && this.drivers.length === 0) {
        for (const journal of this.world.journals)
          this.frame(() => this.world.endTurn('orchestrator-sweeper', journal));
        return round;
      }
      this.fairRound();
    }
    return maxRounds;
  }

  /** Makes one small step of any process; the driver's steps come as often as all others together. */
  private step(): void {
    const { tape } = this;
    const steps: [times: number, step: () => void][] = [
      [1, () => this.submit()],
      [1, () => this.takeUp(tape.oneIn(3))],
      [1, () => (tape.oneIn(4) ? this.stop() : undefined)],
      [1, () => (tape.oneIn(2) ? this.mishap() : undefined)],
      [1, () => this.wait()],
      [1, () => this.sweep()],
      [3, () => this.answerPerson()],
      [5, () => this.workers.take(tape.choose(this.world.queue.length), tape.oneIn(3))],
      [5, () => this.advanceRun()],
      [17, () => this.drive()],
    ];
    let choice = tape.choose(36);
    for (const [times, step] of steps) {
      choice -= times;
      if (choice < 0) return step();
    }
  }

  private wait(): void {
    const { world, tape } = this;
    const longest = tape.oneIn(6) ? EIGHT_DAYS_MS : 0;
    world.now += tape.pick([1_000, 5_000, 20_000, 20_000, 70_000, longest])!;
  }

  private advanceRun(): void {
    const run = this.tape.pick(this.workers.runs);
    if (run) this.workers.advance(run, false);
  }

  private drive(): void {
    const driver = this.tape.pick(this.drivers);
    if (!driver) return this.takeUp(false);
    driver.act(false);
    this.drivers = this.drivers.filter(({ isGone }) => !isGone);
  }

  private fairRound(): void {
    const { world, workers } = this;
    this.takeUp(false);
    for (const driver of [...this.drivers]) this.frame(() => driver.act(true));
    this.drivers = this.drivers.filter(({ isGone }) => !isGone);
    for (const journal of world.journals) {
      if (endingStep(journal)) this.frame(() => world.releaseCalls('orchestrator-sweeper', journal));
      for (const { call } of openCalls(journal))
        this.frame(() => this.answer(journal, call.tool_call_id, true));
    }
    while (world.queue.length > 0) this.frame(() => workers.take(0, false));
    for (const run of [...workers.runs]) this.frame(() => workers.advance(run, true));
    world.doubted.clear();
    // A restarted worker runs nothing that it ran before.
    for (const journal of world.journals) this.buryLostOwners(journal);
  }

  /** Owners that run nothing that they claimed are dead for good, however often it was claimed since. */
  private buryLostOwners(journal: Journal): void {
    for (const { call } of openCalls(journal)) {
      const runs = this.workers.runs.filter((run) => run.call.tool_call_id === call.tool_call_id);
      for (const { owner, purpose } of claimsOn(journal, call.tool_call_id))
        if (purpose === 'run' && !runs.some(({ worker }) => worker === owner)) {
          this.world.doubted.set(owner, 'dead');
          this.workers.replace(owner);
        }
    }
  }

  private frame(action: () => void): void {
    action();
    this.world.endFrame();
  }

  private submit(): void {
    const { world } = this;
    const number = world.journals.length + 1;
    if (number > MAX_TURNS) return;
    const turn = turnRow(number, { at: world.at });
    world.journals.push(journalOf({ turn }));
    const { _id: turn_id, content, client_message_id, user_id: by, at: timestamp } = turn;
    const fields = { conversation_id: CONVERSATION_ID, turn_id, timestamp, number, content };
    world.emit(GATEWAY, { type: 'turn_queued', ...fields, client_message_id, by });
  }

  private get active(): Journal | undefined {
    return this.world.journals.find((journal) => !endingStep(journal));
  }

  /** A process claims the active turn: the first, or one that doubts the driver (`force`: wrongly). */
  private takeUp(force: boolean): void {
    const { world, active } = this;
    if (!active) return;
    const holder = holderOf(active, active.turn._id);
    const isDriven = this.drivers.some((driver) => driver.journal === active);
    if (isDriven && !force) return;
    const n = (holder?.n ?? 0) + 1;
    const owner = `orchestrator-${this.processes++ % 4}`;
    const place = { turn_id: active.turn._id, conversation_id: CONVERSATION_ID };
    world.claim(active, { _id: `${active.turn._id}:${n}`, ...place, owner, n, purpose: 'run', at: world.at });
    const first = active.claims.find((claim) => claim._id === `${active.turn._id}:1`)!;
    const { number } = active.turn;
    world.emit(owner, { type: 'turn_started', ...place, timestamp: first.at, number });
    this.drivers.push(new SimulatedDriver(world, owner, active, n));
  }

  private stop(): void {
    const { world, tape } = this;
    const journal = tape.pick(world.journals.filter((candidate) => !endingStep(candidate)));
    if (!journal) return;
    const driver = this.drivers.findLast((candidate) => candidate.journal === journal);
    if (driver && tape.oneIn(2)) return driver.commitCancel();
    const n = nextStepNumber(journal);
    const { _id: turn_id, number: turn_number } = journal.turn;
    const ids = { _id: `${turn_id}:${n}`, turn_id, conversation_id: CONVERSATION_ID, turn_number, n };
    const empty = { attempt: 0, blocks: [], calls: [], stop_reason: null, usage: null };
    world.commit(journal, { ...ids, kind: 'cancel', ...empty, at: world.at });
    world.endTurn(GATEWAY, journal);
  }

  private mishap(): void {
    const { world, workers, tape } = this;
    switch (tape.choose(4)) {
      case 0: {
        const run = tape.pick(workers.runs);
        return run && workers.kill(run.worker);
      }
      case 1: {
        const run = tape.pick(workers.runs);
        if (run) world.doubted.set(run.worker, tape.pick(['suspect', 'dead'] as const)!);
        return;
      }
      case 2:
        this.drivers.splice(tape.choose(this.drivers.length), 1);
        return;
      default:
        world.doubted.clear();
    }
  }

  private sweep(): void {
    const { world, tape } = this;
    const journal = tape.pick(world.journals)!;
    if (endingStep(journal)) world.endTurn('orchestrator-sweeper', journal);
  }

  private answerPerson(): void {
    const { world, tape } = this;
    const open = world.journals.flatMap((journal) =>
      openCalls(journal).map(({ call }) => ({ journal, call })),
    );
    const waiting = tape.pick(open);
    if (waiting) this.answer(waiting.journal, waiting.call.tool_call_id, !tape.oneIn(3));
  }

  private answer(journal: Journal, tool_call_id: string, approve: boolean): void {
    const { world } = this;
    const call = openCalls(journal).find((open) => open.call.tool_call_id === tool_call_id)?.call;
    if (!call || endingStep(journal)) return;
    const place = { turn_id: journal.turn._id, conversation_id: CONVERSATION_ID };
    const by = 'user_1';
    if (call.approval === 'required' && !answerTo(journal, tool_call_id, 'approval')) {
      const decision = approve ? ('approve' as const) : ('deny' as const);
      world.answer(journal, { _id: `${tool_call_id}:approval`, ...place, decision, by, at: world.at });
      const event = { type: 'approval_answered' as const, ...place, timestamp: world.at };
      world.emit(GATEWAY, { ...event, tool_call_id, by, decision });
      return;
    }
    const number = lastQuestion(journal, tool_call_id)?.number;
    if (number === undefined) return;
    const action = approve ? ('accept' as const) : ('decline' as const);
    const row = { _id: inputId(tool_call_id, 'input', number), ...place, action, by, at: world.at };
    if (!world.answer(journal, row).won) return;
    const event = { type: 'input_answered' as const, ...place, timestamp: world.at };
    world.emit(GATEWAY, { ...event, tool_call_id, number, by, action });
  }

  private partials() {
    return this.world.journals.flatMap((journal) => {
      const driver = this.drivers.findLast((candidate) => candidate.journal === journal);
      return driver?.partial ? [driver.partial] : [];
    });
  }
}
