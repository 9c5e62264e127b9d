import { errorDetail, type ErrorDetail, type ToolCallBody } from '#contracts';
import type { CallLedger, WorkerCall } from '#ledger';
import type { Clock } from '#time';
import { majorOf } from '#tools';
import { toolsetOf } from '#turn';
import type { Fleet } from '../offer/fleet.js';
import type { HostedTool } from '../offer/hosted-tools.js';

/** A call that goes round among workers of another version costs each of them little. */
const PAUSE_MS = 200;

/** Whether the call was made for a version of the tool that this worker does not have. */
export function isOtherMajor({ definition }: HostedTool, { tool_version }: ToolCallBody): boolean {
  return tool_version !== undefined && majorOf(definition.version) !== majorOf(tool_version);
}

/** Calls that were made for another major version of a tool than this worker has: in a rolling update both live. */
export class OtherVersions {
  constructor(
    private readonly ports: { ledger: Pick<CallLedger, 'passOn'>; clock: Pick<Clock, 'sleep'> },
    private readonly fleet: Pick<Fleet, 'hasMajor'>,
  ) {}

  /** `passed_on`: another worker will have the call. Else the reason why it never runs. */
  async leave({ definition }: HostedTool, call: WorkerCall): Promise<'passed_on' | ErrorDetail> {
    const { tool_name, tool_version = '' } = call.body;
    if (!this.fleet.hasMajor(toolsetOf(tool_name), tool_name, majorOf(tool_version)))
      return errorDetail(
        'DependencyUnavailable',
        `${tool_name} ${tool_version} is gone, and ${definition.version} takes other calls. A new message uses the new version.`,
        { started: false },
      );
    await this.ports.clock.sleep(PAUSE_MS);
    // If the queue does not take it now, the orchestrator that drives the turn sends it again.
    await this.ports.ledger.passOn(call);
    return 'passed_on';
  }
}
