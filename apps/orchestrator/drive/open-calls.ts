import { errorDetail } from '#contracts';
import { faultPoint } from '#faults';
import { carryOut, type Ports } from '#journal';
import { decideNotTaken, toolsetOf, type CallDecision } from '#turn';
import { NoWorkerWatch } from './no-worker.js';
import type { QueueGlances } from './queue-glances.js';
import type { TurnMemory } from './turn-memory.js';

const RETRY_AFTER_MS = 10_000;

/** The calls that a driven turn waits for: sent once, watched, given up when nobody can run them. */
export class OpenCalls {
  private readonly noWorker: NoWorkerWatch;

  constructor(
    private readonly ports: Ports,
    private readonly memory: TurnMemory,
    queues: QueueGlances,
  ) {
    this.noWorker = new NoWorkerWatch(queues);
  }

  /** True when something is known now that was not before, so that the turn is decided anew at once. */
  async advance(decision: CallDecision): Promise<boolean> {
    const { memory } = this;
    let next = decision;
    if (decision.action.do === 'publish') {
      const { tool_call_id, tool_name } = decision.call;
      const look = await this.noWorker.look(tool_call_id, `tools.${toolsetOf(tool_name)}`);
      if (look === 'wait') return false;
      if (look !== 'publish') {
        const by = { me: this.ports.me, now: Date.now() };
        const error = notTaken(toolsetOf(tool_name), look);
        next = { ...decision, action: decideNotTaken(memory.journal, decision, error, by) };
      }
    }
    const { claim, outcome, answer, published } = await carryOut(this.ports, memory.journal, next);
    if (published) await faultPoint('call_published');
    if (published) this.noWorker.sent(decision.call.tool_call_id, published);
    const isNewClaim = claim !== undefined && memory.addClaim(claim);
    const isNewOutcome = outcome !== undefined && memory.addOutcome(outcome);
    const isNewAnswer = answer !== undefined && memory.addAnswer(answer);
    return isNewClaim || isNewOutcome || isNewAnswer;
  }
}

function notTaken(toolset: string, why: 'no_worker' | 'full') {
  if (why === 'no_worker')
    return errorDetail('DependencyUnavailable', `No worker for ${toolset} is running.`);
  return errorDetail('ApiLimitExceeded', `Overloaded: too many calls of ${toolset} wait for a worker.`, {
    started: false,
    retry_after_ms: RETRY_AFTER_MS,
  });
}
