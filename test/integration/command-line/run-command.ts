import type { Checked } from '#contracts';
import { createProgram } from '../../../apps/command-line/program.js';

/** `switchyard <words>` with this environment: what it prints, and its exit code. Rejects with its complaint. */
export async function runCommand(environment: Record<string, string>, ...words: string[]) {
  let text = '';
  let code = 0;
  const program = createProgram({
    write: (more) => void (text += more),
    environment,
    exitWith: (given) => void (code = given),
  });
  await program.parseAsync(words, { from: 'user' });
  return { text, code };
}

/** `bad`: what is not `ok`. */
export async function runDoctor(environment: Record<string, string>) {
  const { text, code } = await runCommand(environment, 'doctor', '--json');
  const found = JSON.parse(text) as Checked[];
  return { text, code, found, bad: found.filter(({ level }) => level !== 'ok') };
}
