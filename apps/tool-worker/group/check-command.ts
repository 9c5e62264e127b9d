import { describeChecked } from '#observability';
import { systemTime } from '#time';
import { checkToolFiles, toolFolderOf } from '#toolsets';
import { listOfferedTools, NoOfferError } from './offered-tools.adapter.js';
import type { GroupCommand } from './read-command.js';

/** `check`: prints a line for each finding, and returns the exit code: 1 if there is an error. */
export async function runCheck(
  { folder, running, json }: Extract<GroupCommand, { kind: 'check' }>,
  { environment, write }: { environment: NodeJS.ProcessEnv; write: (text: string) => void },
): Promise<number> {
  const { clock } = systemTime();
  const { TOOLS_DIR, SWITCHYARD_TOKEN: token } = environment;
  const listOffered = running === undefined ? undefined : () => listOfferedTools(running, { token, clock });
  try {
    const found = await checkToolFiles(toolFolderOf(folder, TOOLS_DIR), clock, listOffered);
    write(json ? `${JSON.stringify(found, null, 2)}\n` : found.map(describeChecked).join(''));
    return found.some(({ level }) => level === 'error') ? 1 : 0;
  } catch (error) {
    if (!(error instanceof NoOfferError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}
