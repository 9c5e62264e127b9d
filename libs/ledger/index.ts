export type {
  AskedQuestion,
  CallLedger,
  HeldClaims,
  Question,
  Ran,
  WorkerCall,
} from './port/call-ledger.port.js';
export { CallOutput } from './output/call-output.js';
export { StoreLedger } from './store-ledger/store-ledger.js';
export { Ledger } from './server/ledger.js';
export { ledgerQueues } from './server/ledger-queues.js';
export { LedgerLine, LedgerRefusal } from './remote/ledger-line.js';
export { RemoteLedger } from './remote/remote-ledger.js';
