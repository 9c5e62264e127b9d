import { createStore } from '#store';
import { systemTime } from '#time';
import { GROUP, openBus } from './bench-bus.js';
import { startBenchOrchestrator } from './fleet.js';

/*
 * An orchestrator that drives no turns: it only serves the ledger. Arguments: broker URL, MongoDB URL.
 */

const [brokerUrl, mongoUrl] = process.argv.slice(2) as [string, string];
const store = createStore({ ...systemTime(), url: mongoUrl });
await store.open();
const { bus, processId } = await openBus(brokerUrl, 'orchestrator', {
  groups: [GROUP],
  ignored: ['turns', 'results'],
});
await startBenchOrchestrator(store, bus, processId, [GROUP]);
process.send?.('ready');
