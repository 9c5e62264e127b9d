import { CommandError } from '../command-error.js';
import { callCases } from './cases/calls.js';
import { lostMessageCases } from './cases/lost-messages.js';
import { lostWorkerCases } from './cases/lost-workers.js';
import { versionCases } from './cases/versions.js';
import type { ContractCase } from './contract-case.js';
import { ContractRun, WorkerUnusable, type ContractOptions } from './contract-run.js';
import { requireOwnHost } from './own-host.js';
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
 * contains it. When no worker takes calls, the rest is not tried. Throws `CommandError` when nothing can be tried.
 */
export async function runContract(
  options: ContractOptions,
  only: string,
  report: (result: CaseResult) => void,
): Promise<CaseResult[]> {
  const cases = casesNamed(only);
  await requireOwnHost(options.url);
  const contract = new ContractRun(options);
  try {
    await Promise.race([contract.open(), contract.stopped]);
    return await Promise.race([tryAll(cases, contract, report), contract.stopped]);
  } finally {
    await contract.close();
  }
}

function casesNamed(only: string): ContractCase[] {
  const cases = CASES.filter(({ title }) => title.includes(only));
  if (cases.length > 0) return cases;
  const titles = CASES.map(({ title }) => `  ${title}`).join('\n');
  throw new CommandError(
    `No case has "${only}" in its title. Give --only a part of one of these:\n${titles}`,
  );
}

async function tryAll(
  cases: readonly ContractCase[],
  contract: ContractRun,
  report: (result: CaseResult) => void,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const { title, run } of cases) {
    const { isOver, ...found } = (await problemOf(() => run(contract), contract)) ?? {};
    if (contract.isClosing) break;
    const result = { title, ...found };
    contract.server.fateOf = () => 'served';
    contract.line.mend();
    results.push(result);
    report(result);
    if (isOver) break;
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
    if (error instanceof WorkerUnusable)
      return { problem: error.message, output: error.output, isOver: true };
    return { problem: error.message, output: workers.at(-1)?.process.lastLines(5) };
  }
}
