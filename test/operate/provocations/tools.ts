import { setTimeout as delay } from 'node:timers/promises';
import { builtProgram } from '../../services/built.js';
import { runCommand } from '../../services/child.js';
import { sendMany } from '../load.js';
import type { Provocation } from '../provocation.js';
import { HELD_SLOTS, type Site } from '../site.js';

const LETTERS = 3;

/** Calls that hold their slots for longer than a call may wait. */
const overloadedToolset: Provocation = {
  says: 'more calls of a toolset than its workers run at once',
  fires: [
    { alert: 'SwitchyardToolSlotsSaturated', labels: { toolset: 'held' } },
    { alert: 'SwitchyardCallsWaitTooLong', labels: { toolset: 'held' } },
  ],
  async provoke(site) {
    const slots = 2 * HELD_SLOTS;
    await sendMany(
      site,
      Array.from({ length: 2 * slots }, () => 'call held wait with {"seconds": 45}'),
    );
    return async () => {
      const more = [1, 2].map(() => site.add('tool-worker', { TOOLSETS: 'held' }));
      const added = await Promise.all(more);
      return () => Promise.all(added.map((worker) => site.end(worker, 'SIGTERM')));
    };
  },
};

const lostToolset: Provocation = {
  says: 'the only worker of a toolset is killed',
  fires: [{ alert: 'SwitchyardToolsetWithoutWorkers', labels: { toolset: 'lone' } }],
  async provoke(site) {
    const startAgain = await site.end(site.loneWorker);
    // Its tools are offered for some seconds more.
    await sendMany(site, ['call lone echo with {"text": "is anybody there"}']);
    return async () => void (await startAgain());
  },
};

const unreadableMessages: Provocation = {
  says: 'another program publishes into the queue of turns',
  fires: [{ alert: 'SwitchyardDeadLetters', labels: { queue: 'turns', reason: 'rejected' } }],
  async provoke(site) {
    const message = { properties: {}, routing_key: 'turns', payload_encoding: 'string' };
    for (let letter = 0; letter < LETTERS; letter++) {
      const payload = `no JSON ${letter}`;
      await site.rabbitmq.management.request('POST', '/api/exchanges/%2F/amq.default/publish', {
        ...message,
        payload,
      });
      await delay(100);
    }
    return () => discardLetters(site);
  },
};

/** As the runbook says, with the operator's program. */
async function discardLetters(site: Site): Promise<void> {
  const token = await site.tokenOf('olga');
  const run = (...words: string[]) => {
    const command = [builtProgram('switchyard'), '--url', site.of('gateway')[0]!.url, 'dead-letters'];
    return runCommand(process.execPath, [...command, ...words], {
      env: { SWITCHYARD_TOKEN: token },
    });
  };
  const letters = JSON.parse(await run('list', '--json')) as { _id: string }[];
  if (letters.length < LETTERS) throw new Error(`${letters.length} dead letters`);
  for (const { _id } of letters) await run('discard', _id);
}

export const toolProvocations = [overloadedToolset, lostToolset, unreadableMessages];
