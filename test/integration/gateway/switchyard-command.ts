import { createProgram } from '../../../apps/command-line/program.js';

/** `switchyard <words>` at this gateway, with this token: what it prints. Rejects with its complaint. */
export async function runSwitchyard(url: string, token: string, ...words: string[]): Promise<string> {
  let output = '';
  const write = (text: string) => void (output += text);
  const program = createProgram({ write, environment: { SWITCHYARD_TOKEN: token } });
  await program.parseAsync(['--url', url, ...words], { from: 'user' });
  return output;
}
