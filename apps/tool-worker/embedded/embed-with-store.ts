import { Member, observeStore } from '#bootstrap';
import { faultPoint } from '#faults';
import { AuditTrail } from '#journal';
import { createStore } from '#store';
import { systemTime } from '#time';
import { startToolWorker } from '../start-tool-worker.app.js';
import { countedBuses, observeMember, type EmbeddedPart, type EmbeddedParts } from './embedded-part.js';

/** @param auditDays how long audit records stay in the store */
export function embedWithStore(
  parts: EmbeddedParts,
  { mongodbUrl, auditDays }: { mongodbUrl: string; auditDays: number },
): EmbeddedPart {
  const { logger, metrics, hosts, overridesFor, onGone } = parts;
  const time = systemTime();
  const store = observeStore(createStore({ ...time, url: mongodbUrl }), time.clock, metrics);
  const auditTrail = new AuditTrail({ store, log: logger, days: auditDays, ...time });
  const member = new Member({
    role: 'worker',
    store,
    createBus: countedBuses(parts),
    logger,
    onGone,
    faultPoint,
    auditTrail,
    ...time,
  });
  observeMember(parts, member);
  return {
    member,
    async start() {
      await store.open();
      auditTrail.start();
      await member.start();
      return startToolWorker({ ...member.part, log: logger, metrics, hosts, overridesFor });
    },
    async leave() {
      try {
        await Promise.all([auditTrail.close(), member.leave()]);
      } finally {
        // An unreachable store keeps the row, but must not make this worker go on taking calls.
        await member.bus.close();
        await store.close();
      }
    },
  };
}
