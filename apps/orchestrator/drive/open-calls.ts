import { carryOut, type Ports } from '#journal';
import {
  failedOutcome,
  failure,
  holderOf,
  mayHaveRun,
  toolsetOf,
  type CallAction,
  type CallDecision,
} from '#turn';
import { NoWorkerWatch } from './no-worker.js';
import type { TurnMemory } from './turn-memory.js';

/** The calls that a driven turn waits for: sent once, watched, given up when nobody can run them. */
export class OpenCalls {
  private readonly noWorker: NoWorkerWatch;

  constructor(
    private readonly ports: Ports,
    private readonly memory: TurnMemory,
  ) {
    this.noWorker = new NoWorkerWatch(ports.bus);
  }

  /** True when something is known now that was not before, so that the turn is decided anew at once. */
  async advance(decision: CallDecision): Promise<boolean> {
    const { memory } = this;
    let next = decision;
    if (decision.action.do === 'publish') {
      const { tool_call_id, tool_name } = decision.call;
      const look = await this.noWorker.look(tool_call_id, `tools.${toolsetOf(tool_name)}`);
      if (look === 'wait') return false;
      if (look === 'no_worker') next = { ...decision, action: this.giveUp(decision) };
    }
    const { claim, outcome, answer, published } = await carryOut(this.ports, memory.journal, next);
    if (published) this.noWorker.sent(decision.call.tool_call_id, published);
    const isNewClaim = claim !== undefined && memory.addClaim(claim);
    const isNewOutcome = outcome !== undefined && memory.addOutcome(outcome);
    const isNewAnswer = answer !== undefined && memory.addAnswer(answer);
    return isNewClaim || isNewOutcome || isNewAnswer;
  }

  private giveUp({ step, call }: CallDecision): CallAction {
    const holder = holderOf(this.memory.journal, call.tool_call_id);
    // Who started it is dead, and nobody is there to run it again.
    const mayHave = holder?.purpose === 'run' && call.class !== 'read';
    const error = mayHave
      ? mayHaveRun()
      : failure('DependencyUnavailable', `No worker for ${toolsetOf(call.tool_name)} is running.`);
    const by = { worker: this.ports.me, attempt: holder?.n ?? 0, at: new Date().toISOString() };
    return { do: holder ? 'settle' : 'compete', outcome: failedOutcome(step, call, error, by) };
  }
}
