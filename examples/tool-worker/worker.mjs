// A tool worker of your own: RABBITMQ_URL=… MONGODB_URL=… node examples/tool-worker/worker.mjs
import { createServer } from 'node:http';
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
// For Prometheus; a program with metrics of its own merges `worker.registry` with them.
if (process.env.OPS_PORT) createServer(worker.serveMetrics).listen(process.env.OPS_PORT, '127.0.0.1');
console.log(`${worker.id} takes calls of weather`);
