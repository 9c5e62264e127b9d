import { afterAll, describe } from '@jest/globals';
import { describeBusContract } from '../../libs/messaging/testing/bus-contract.js';
import { describeStoreContract } from '../../libs/store/testing/store-contract.js';
import { SimulatedBus } from './simulated-bus.js';
import { SimulatedStore } from './simulated-store.js';
import { World } from './world.js';

/** The contracts wait in real time, so the world's moves with it. */
function keepMoving(world: World): { stop(): Promise<void> } {
  let isOver = false;
  const moving = (async () => {
    for (let last = performance.now(); !isOver;) {
      const now = performance.now();
      await world.clock.advance(now - last);
      last = now;
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  return {
    stop: () => {
      isOver = true;
      return moving;
    },
  };
}

describeBusContract('the simulated broker', async () => {
  const world = new World(1);
  const motion = keepMoving(world);
  return {
    createBus: () => new SimulatedBus(world, world.clock.view()),
    publishBytes: async (queue, content, messageId) => void world.broker.publish(queue, content, messageId),
    makeShortQueue: async (queue, maxLength) => void world.broker.memory.declareQueue(queue, maxLength),
    close: () => motion.stop(),
  };
});

describe('the simulated store', () => {
  const world = new World(1);
  const motion = keepMoving(world);
  afterAll(async () => {
    await motion.stop();
    await world.close();
  });
  describeStoreContract(async () => {
    await world.open();
    return new SimulatedStore(world, world.clock.view(), () => 'process-1').store;
  });
});
