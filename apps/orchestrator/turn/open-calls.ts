import { errorDetail, type ErrorDetail } from '#contracts';
import { carryOut, type KnownSwitches, type Ports, type RowsWritten } from '#journal';
import { decideNotTaken, holderOf, pausedDetail, toolsetOf, type CallDecision } from '#turn';
import type { QueueInspections } from '../fairness/queue-inspections.js';
import type { CallShares } from '../fairness/call-shares.js';
import { TurnShare } from '../fairness/turn-share.js';
import type { TurnMemory } from '../work/turn-memory.js';
import type { TurnWork } from '../work/turn-work.js';
import { NoWorkerWatch } from './no-worker.js';

const RETRY_AFTER_MS = 10_000;

/** What all turns of this process know about the toolsets' queues. */
export interface CallQueues {
  queues: QueueInspections;
  shares: CallShares;
  switches: Pick<KnownSwitches, 'pauseOf'>;
}

/** The calls that a driven turn waits for. Each is sent once, watched, and given up when no worker can run it. */
export class OpenCalls {
  private readonly memory: TurnMemory;
  private readonly noWorker: NoWorkerWatch;
  private readonly share: TurnShare;

  /** `wake`: a held call may be sent. */
  constructor(
    private readonly ports: Ports,
    private readonly work: Pick<TurnWork, 'memory' | 'claimAttempt' | 'trace'>,
    private readonly known: CallQueues,
    wake: () => void,
  ) {
    const { queues, shares } = known;
    const { memory, claimAttempt } = work;
    const { user_id } = memory.journal.turn;
    const takenOverAt = claimAttempt > 1 && shares.counts(user_id) ? ports.clock.wall() : undefined;
    this.memory = memory;
    this.share = new TurnShare(shares, user_id, wake, { clock: ports.clock, takenOverAt });
    this.noWorker = new NoWorkerWatch(queues, ports.clock);
  }

  /** The time until which a call was held back, ms since epoch. */
  readonly releasedAt = (toolCallId: string): number | undefined => this.share.releasedAt(toolCallId);

  /** The calls that are open now; no other call takes a place in a queue. */
  follow(open: readonly CallDecision[]): void {
    this.share.follow(open);
  }

  /** True when something new is known, so that the turn is decided again immediately. */
  async advance(decision: CallDecision): Promise<boolean> {
    const { memory } = this;
    const next = decision.action.do === 'publish' ? await this.mayPublish(decision) : decision;
    if (!next) return false;
    const { claim, outcome, answer, published } = await this.carryOut(next);
    if (published) await this.ports.faultPoint('call_published');
    if (published) this.noWorker.sent(decision.call.tool_call_id, published);
    const isNewClaim = claim !== undefined && memory.addClaim(claim);
    const isNewOutcome = outcome !== undefined && memory.addOutcome(outcome);
    const isNewAnswer = answer !== undefined && memory.addAnswer(answer);
    return isNewClaim || isNewOutcome || isNewAnswer;
  }

  /** Undefined while it waits: the turn's user has enough calls in the queue, or the call is in the queue itself. */
  private async mayPublish(decision: CallDecision): Promise<CallDecision | undefined> {
    const { tool_call_id, tool_name } = decision.call;
    const pause = this.known.switches.pauseOf(tool_name);
    if (pause) {
      const wasClaimed = holderOf(this.memory.journal, tool_call_id) !== undefined;
      return this.giveUp(decision, pausedDetail(tool_name, pause, { wasClaimed }));
    }
    if (!this.share.ask(decision.call)) return undefined;
    const asked = { ...decision, releasedAt: this.share.releasedAt(tool_call_id) };
    const look = await this.noWorker.check(tool_call_id, `tools.${toolsetOf(tool_name)}`);
    if (look === 'wait') return undefined;
    return look === 'publish' ? asked : this.giveUp(asked, notTaken(toolsetOf(tool_name), look));
  }

  private giveUp(decision: CallDecision, error: ErrorDetail): CallDecision {
    const by = { me: this.ports.me, now: this.ports.clock.wall() };
    return { ...decision, action: decideNotTaken(this.memory.journal, decision, error, by) };
  }

  private carryOut(decision: CallDecision): Promise<RowsWritten> {
    const { ports, memory, work } = this;
    if (decision.action.do !== 'publish') return carryOut(ports, memory.journal, decision);
    return work.trace.inSend(decision.call, (traceparent) =>
      carryOut(ports, memory.journal, decision, traceparent),
    );
  }
}

function notTaken(toolset: string, why: 'no_worker' | 'full') {
  if (why === 'no_worker')
    return errorDetail('DependencyUnavailable', `No worker for ${toolset} is running.`);
  return errorDetail(
    'ApiLimitExceeded',
    `Overloaded: too many calls of ${toolset} are waiting for a worker.`,
    {
      started: false,
      retry_after_ms: RETRY_AFTER_MS,
    },
  );
}
