import { callCases } from './cases/calls.js';
import { lostMessageCases } from './cases/lost-messages.js';
import { lostWorkerCases } from './cases/lost-workers.js';
import { versionCases } from './cases/versions.js';
import { ContractRun, WorkerUnusable, type ContractOptions } from './contract-run.js';
import { ContractBroken } from './until.js';

const CASES = [...callCases, ...lostMessageCases, ...versionCases, ...lostWorkerCases];

export interface CaseResult {
  title: string;
  /** Absent: the worker keeps it. */
  problem?: string;
  /** The last lines of the worker, with a problem. */
  output?: string;
}

/**
 * Tries a worker against the contract of workers without the store (docs/worker-protocol.md). `only`: cases whose title
 * contains it. When no worker takes calls, the rest is not tried.
 */
export async function runContract(
  options: ContractOptions,
  only: string,
  report: (result: CaseResult) => void,
): Promise<CaseResult[]> {
  const contract = new ContractRun(options);
  await contract.open();
  const results: CaseResult[] = [];
  try {
    for (const { title, run } of CASES.filter((each) => each.title.includes(only))) {
      const { isOver, ...found } = (await problemOf(() => run(contract), contract)) ?? {};
      const result = { title, ...found };
      contract.server.fateOf = () => 'served';
      contract.line.mend();
      results.push(result);
      report(result);
      if (isOver) break;
    }
  } finally {
    await contract.close();
  }
  return results;
}

async function problemOf(
  run: () => Promise<void>,
  { workers }: ContractRun,
): Promise<(Omit<CaseResult, 'title'> & { isOver?: boolean }) | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!(error instanceof ContractBroken)) throw error;
    if (error instanceof WorkerUnusable) return { problem: error.message, isOver: true };
    const output = workers
      .map(({ process }) => process.output.trim().split('\n').slice(-5).join('\n'))
      .at(-1);
    return { problem: error.message, output };
  }
}
