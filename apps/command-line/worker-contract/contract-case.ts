import type { ContractRun } from './contract-run.js';

export interface ContractCase {
  title: string;
  /** Throws `ContractBroken` when the worker does something else. */
  run(contract: ContractRun): Promise<void>;
}
