import { LedgerMember } from '#bootstrap';
import { groupNameSchema } from '#contracts';
import { faultPoint } from '#faults';
import { settledWithin, systemTime } from '#time';
import { ToolSetupError } from '#tools';
import { startWorker } from '../start-tool-worker.app.js';
import { countedBuses, observeMember, type EmbeddedPart, type EmbeddedParts } from './embedded-part.js';

/** Without an orchestrator nobody removes its row: then the others find it dead. */
const LEAVE_WITHIN_MS = 5_000;

/** Throws `ToolSetupError` for what cannot be the name of a group. */
export function embedInGroup(group: unknown): (parts: EmbeddedParts) => EmbeddedPart {
  const named = groupNameSchema.safeParse(group);
  if (named.success) return (parts) => embedPart(parts, named.data);
  throw new ToolSetupError(
    `A group's name has at most 20 of a-z, 0-9 and -: ${JSON.stringify(group)} is none.`,
  );
}

function embedPart(parts: EmbeddedParts, group: string): EmbeddedPart {
  const { logger, metrics, hosts, overridesFor, onGone } = parts;
  const time = systemTime();
  const member = new LedgerMember({
    group,
    toolsets: () => hosts.map(({ name }) => name),
    createBus: countedBuses(parts),
    logger,
    onGone,
    faultPoint,
    ...time,
  });
  observeMember(parts, member);
  return {
    member,
    async start() {
      await member.start();
      const own = { log: logger, metrics, hosts, overridesFor };
      return startWorker({ ...member.part, ...own }, () => member.join());
    },
    async leave() {
      await settledWithin(time.clock, member.leave(), LEAVE_WITHIN_MS);
      member.close();
      await member.bus.close();
    },
  };
}
