import { setTimeout as delay } from 'node:timers/promises';
import { sendMany } from '../load.js';
import type { Provocation } from '../provocation.js';

/** Longer than one that does not answer may take, in memory beyond the limit of a worker's alert. */
const MEBIBYTES = 1_800;
const TURNS_IN_HAND = 40;
const BLOCKED_SECONDS = 100;

const everythingKilled: Provocation = {
  says: 'every process is killed',
  fires: ['gateway', 'orchestrator', 'tool-worker'].map((role) => ({
    alert: 'SwitchyardRoleDown',
    labels: { job: `switchyard-${role}` },
  })),
  async provoke(site) {
    const starts = await Promise.all([...site.processes].map((process) => site.end(process)));
    return async () => void (await Promise.all(starts.map((startAgain) => startAgain())));
  },
};

const frozenProcess: Provocation = {
  says: 'a gateway hangs',
  fires: [{ alert: 'SwitchyardTargetDown', labels: { job: 'switchyard-gateway' } }],
  async provoke(site) {
    const hung = site.of('gateway')[1]!;
    hung.freeze();
    return async () => void (await (await site.end(hung))());
  },
};

const busyWorker: Provocation = {
  says: 'a tool computes without a pause',
  fires: [{ alert: 'SwitchyardEventLoopLags', labels: { job: 'switchyard-tool-worker' } }],
  async provoke(site) {
    const sent = await sendMany(site, [`call held block with {"seconds": ${BLOCKED_SECONDS}}`]);
    return async () => {
      // Else the call would run again on the next worker.
      const viewer = await site.view('dan');
      await viewer.request('stop', { turn_id: sent[0]!.turn_id });
      viewer.close();
      await site.replaceAll('tool-worker');
    };
  },
};

const fullWorker: Provocation = {
  says: 'a tool keeps what it has read',
  fires: [{ alert: 'SwitchyardMemoryHigh', labels: { job: 'switchyard-tool-worker' } }],
  async provoke(site) {
    await sendMany(site, [`call held fill with {"mebibytes": ${MEBIBYTES}}`]);
    return () => site.replaceAll('tool-worker');
  },
};

const dyingOrchestrators: Provocation = {
  says: 'orchestrators die in the middle of turns',
  fires: [{ alert: 'SwitchyardRepairs' }],
  async provoke(site) {
    await sendMany(
      site,
      Array.from({ length: TURNS_IN_HAND }, () => 'call held wait with {"seconds": 3}'),
    );
    await delay(1_000);
    for (const process of site.of('orchestrator')) await (await site.end(process))();
    return async () => undefined;
  },
};

export const processProvocations = [
  everythingKilled,
  frozenProcess,
  busyWorker,
  fullWorker,
  dyingOrchestrators,
];
