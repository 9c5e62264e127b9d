// A tool worker of your own: RABBITMQ_URL=… MONGODB_URL=… node examples/tool-worker/worker.mjs
import { createToolWorker } from 'switchyard/tool-worker';
import forecast from './weather.tool.mjs';

const worker = createToolWorker({
  tools: { weather: [forecast] },
  rabbitmqUrl: process.env.RABBITMQ_URL,
  mongodbUrl: process.env.MONGODB_URL,
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await worker.stop();
    process.exit(0);
  });
}
await worker.start();
console.log(`${worker.id} takes calls of weather`);
