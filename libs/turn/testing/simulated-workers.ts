import { completeResult, type ConversationEvent, type Outcome, type ToolResult } from '#contracts';
import { decideAfterReclaim, decideLostClaim } from '../rules/call-rules.js';
import { claimsOn, inputId, lastQuestion, outcomeOf, waitsForPerson } from '../journal/journal.js';
import { mayHaveRun, neverStarted, stoppedWhileRunning } from '../journal/outcomes.js';
import { toolsetOf } from '../view/tool-end.js';
import { CONVERSATION_ID } from './rows.js';
import type { QueuedCall, World } from './world.js';

interface Run extends QueuedCall {
  worker: string;
  attempt: number;
}

/** Tool workers: they take calls from the queue, run them, and die. */
export class SimulatedWorkers {
  runs: Run[] = [];
  /** Every start ever, by call. */
  readonly starts = new Map<string, number>();
  private readonly names = ['worker-0', 'worker-1', 'worker-2'];
  private born = this.names.length;
  private count = 0;

  constructor(private readonly world: World) {}

  /** Makes one delivery. `again`: the call also stays in the queue. */
  take(index: number, again: boolean): void {
    const { world } = this;
    const queued = world.queue[index];
    if (!queued) return;
    if (!again) world.queue.splice(index, 1);
    const worker = this.names[this.count++ % this.names.length]!;
    if (world.doubted.has(worker)) return;
    const { journal, call } = queued;
    if (this.claim(queued, worker, 1)) return this.start(queued, worker, 1);
    const claims = claimsOn(journal, call.tool_call_id);
    const found = { claims, outcome: outcomeOf(journal, call.tool_call_id) };
    const { liveness } = world;
    const action = decideLostClaim(found, { class: call.class, me: worker, liveness });
    if (action.do === 'settle') world.settle(worker, journal, call, action.outcome);
    if (action.do === 'claim_again') this.takeOver(queued, worker, action.attempt);
  }

  /** One small step of a run; `haste`: it ends. */
  advance(run: Run, haste: boolean): void {
    const { world } = this;
    if (this.isWaiting(run)) {
      if (world.stopping.has(run.call.tool_call_id)) this.finish(run);
      return;
    }
    const choice = haste ? 3 : world.tape.choose(5);
    if (choice === 0) return this.emit(run, { type: 'tool_progress', progress: 1, total: 2 });
    if (choice === 1) return this.ask(run);
    if (choice >= 2) this.finish(run);
  }

  /** Kills the process and everything that it runs. */
  kill(worker: string): void {
    this.world.doubted.set(worker, 'dead');
    this.runs = this.runs.filter((run) => run.worker !== worker);
  }

  /** Starts another worker in its place, under a new name. */
  replace(worker: string): void {
    const place = this.names.indexOf(worker);
    if (place >= 0) this.names[place] = `worker-${this.born++}`;
  }

  private claim({ journal, call }: QueuedCall, worker: string, n: number): boolean {
    const { world } = this;
    const _id = `${call.tool_call_id}:${n}`;
    const place = { turn_id: journal.turn._id, conversation_id: CONVERSATION_ID };
    return world.claim(journal, { _id, ...place, owner: worker, n, purpose: 'run', at: world.at }).won;
  }

  private takeOver(queued: QueuedCall, worker: string, attempt: number): void {
    if (!this.claim(queued, worker, attempt)) return;
    const { journal, call, step } = queued;
    const next = journal.steps.find((row) => row.n === step.n + 1);
    const allowed = decideAfterReclaim({ step, next, outcome: outcomeOf(journal, call.tool_call_id) });
    if (allowed === 'run') this.start(queued, worker, attempt);
    if (allowed !== 'stopped') return;
    const error = { status: 'failure' as const, error: mayHaveRun() };
    this.world.settle(worker, journal, call, this.outcome(queued, worker, attempt, error));
  }

  private start(queued: QueuedCall, worker: string, attempt: number): void {
    const { tool_call_id } = queued.call;
    this.starts.set(tool_call_id, (this.starts.get(tool_call_id) ?? 0) + 1);
    const run = { ...queued, worker, attempt };
    this.runs.push(run);
    this.emitStart(run);
  }

  private isWaiting({ journal, call }: QueuedCall): boolean {
    return waitsForPerson(journal, call);
  }

  private ask(run: Run): void {
    const { world } = this;
    const { tool_call_id } = run.call;
    const schema = { type: 'object' };
    const expires_at = new Date(world.now + 60_000).toISOString();
    const question = { message: 'Which one?', schema, expires_at };
    const place = { turn_id: run.step.turn_id, conversation_id: CONVERSATION_ID };
    const number = (lastQuestion(run.journal, tool_call_id)?.number ?? 0) + 1;
    const _id = inputId(tool_call_id, 'question', number);
    world.answer(run.journal, { _id, ...place, question, by: run.worker, at: world.at });
    this.emit(run, { type: 'input_required', number, ...question });
  }

  private finish(run: Run): void {
    const { world } = this;
    this.runs = this.runs.filter((other) => other !== run);
    const stopped = world.stopping.has(run.call.tool_call_id) && !world.tape.oneIn(3);
    const error = (detail: Outcome['error']) => ({ status: 'failure' as const, error: detail });
    const failed = { error_type: 'ToolExecutionError', error_message: 'broke', error_details: { code: 7 } };
    const results = [
      { status: 'success' as const, data: { text: 'fine' } },
      { status: 'partial_success' as const, data: { text: '😀'.repeat(3_000) }, error: failed },
      { status: 'no_change_needed' as const },
      error(failed),
      error(neverStarted()),
    ];
    const result = stopped ? error(stoppedWhileRunning()) : world.tape.pick(results)!;
    const outcome = this.outcome(run, run.worker, run.attempt, result);
    world.settle(run.worker, run.journal, run.call, outcome);
  }

  private outcome({ step, call }: QueuedCall, worker: string, attempt: number, result: ToolResult): Outcome {
    const place = { turn_id: step.turn_id, conversation_id: CONVERSATION_ID, n: step.n };
    return {
      _id: call.tool_call_id,
      ...place,
      ...completeResult(result),
      attempt,
      worker,
      duration_ms: 3,
      at: this.world.at,
    };
  }

  private emitStart(run: Run): void {
    const { tool_name, source, arguments: tool_args } = run.call;
    this.emit(run, {
      type: 'tool_start',
      tool_name,
      // A worker does not know the names that the conversation's catalogue gives.
      display_name: tool_name,
      tool_input: JSON.stringify(tool_args),
      tool_args,
      source,
      toolset: toolsetOf(tool_name),
      attempt: run.attempt,
    });
  }

  private emit({ worker, step, call }: Run, event: Record<string, unknown> & { type: string }): void {
    const place = { conversation_id: CONVERSATION_ID, turn_id: step.turn_id, step: step.n };
    const fields = { ...place, tool_call_id: call.tool_call_id, timestamp: this.world.at };
    this.world.emit(worker, { ...fields, ...event } as ConversationEvent);
  }
}
