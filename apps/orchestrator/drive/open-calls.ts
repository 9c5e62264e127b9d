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

const RETRY_AFTER_MS = 10_000;

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
      if (look !== 'publish') next = { ...decision, action: this.giveUp(decision, look) };
    }
    const { claim, outcome, published } = await carryOut(this.ports, memory.journal, next);
    if (published) this.noWorker.sent(decision.call.tool_call_id, published);
    const isNewClaim = claim !== undefined && memory.addClaim(claim);
    const isNewOutcome = outcome !== undefined && memory.addOutcome(outcome);
    return isNewClaim || isNewOutcome;
  }

  private giveUp({ step, call }: CallDecision, why: 'no_worker' | 'full'): CallAction {
    const holder = holderOf(this.memory.journal, call.tool_call_id);
    // Who started it is dead, and nobody is there to run it again.
    const mayHave = holder?.purpose === 'run' && call.class !== 'read';
    const error = mayHave ? mayHaveRun() : notTaken(toolsetOf(call.tool_name), why);
    const by = { worker: this.ports.me, attempt: holder?.n ?? 0, at: new Date().toISOString() };
    return { do: holder ? 'settle' : 'compete', outcome: failedOutcome(step, call, error, by) };
  }
}

function notTaken(toolset: string, why: 'no_worker' | 'full') {
  if (why === 'no_worker') return failure('DependencyUnavailable', `No worker for ${toolset} is running.`);
  return failure('ApiLimitExceeded', `Overloaded: too many calls of ${toolset} wait for a worker.`, {
    started: false,
    retry_after_ms: RETRY_AFTER_MS,
  });
}
