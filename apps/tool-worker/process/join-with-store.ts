import { startToolWorker } from '../start-tool-worker.app.js';
import type { Join } from './run-worker.js';

export const joinWithStore: Join = async (service, own, createBus) => {
  const member = await service.join('worker', createBus);
  return { member, running: await startToolWorker({ ...member.part, ...own }) };
};
