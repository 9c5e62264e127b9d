import { startWorker } from '../start-tool-worker.app.js';
import type { Join } from './run-worker.js';

export function joinGroup(group: string): Join {
  return async (service, own, createBus) => {
    const toolsets = own.hosts.map(({ name }) => name);
    const member = await service.joinGroup(group, { createBus, toolsets: () => toolsets });
    return { member, running: await startWorker({ ...member.part, ...own }, () => member.join()) };
  };
}
