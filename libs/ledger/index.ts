export type {
  AskedQuestion,
  BoundedResult,
  CallLedger,
  CallProgress,
  Claimed,
  HeldClaims,
  Question,
  Ran,
  WorkerCall,
} from './port/call-ledger.port.js';
export { StoreLedger } from './store-ledger/store-ledger.js';
