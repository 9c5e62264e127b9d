import type { Mutant } from './mutant.js';

const retrying = 'libs/journal/retrying-store.ts';

export const RETRYING_STORE: Mutant[] = [
  {
    name: 'running work is given up when the store fails',
    edit: { file: retrying, find: '|| signal.aborted) throw', replace: '|| true) throw' },
  },
  {
    name: 'running work is given up when the store fails three times',
    edit: {
      file: retrying,
      find: '|| signal.aborted) throw',
      replace: '|| signal.aborted || failures >= 2) throw',
    },
  },
  {
    name: 'a failed operation of the store counts as done',
    edit: {
      file: retrying,
      find: '|| signal.aborted) throw error;',
      replace: '|| signal.aborted) throw error;\n      return undefined;',
    },
  },
  {
    name: 'orchestrators do not wait for the store',
    edit: {
      file: 'apps/orchestrator/orchestrator.ts',
      find: 'this.durable = retryingStore(store, this.leaving.signal, deps);',
      replace: 'this.durable = store;',
    },
  },
  {
    name: 'workers do not wait for the store',
    edit: {
      file: 'apps/tool-worker/with-store.ts',
      find: 'const store = retryingStore(deps.store, leaving, deps);',
      replace: 'const { store } = deps;',
    },
  },
  {
    name: 'a later failure of the store is not retried',
    edit: {
      file: 'libs/journal/retrying-store.ts',
      find: 'return await operation();',
      replace: 'return operation();',
    },
  },
];
