import { existsSync } from 'node:fs';
import { CommanderError } from 'commander';
import { SystemClock, yieldToEventLoop } from '#time';
import { CommandError } from './command-error.js';
import { createProgram } from './program.js';

const WRONG_USAGE = 2;
/** As a shell has it: 128 and the number of the signal. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

// Whoever reads may have had enough (`| head -1`); a full disk is nothing that a stack trace explains.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`The output could not be written: ${error.code}.\n`);
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

/** `npm run switchyard -- <command>`: what operators do, over the HTTP API of a gateway or in the store. */
try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const { stdout, env } = process;
  await createProgram({
    write: (text) => void stdout.write(text),
    environment: env,
    exitWith: (code) => void (process.exitCode = code),
    onStop,
  }).parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** A second signal ends the process at once. */
function onStop(end: () => Promise<void>): void {
  for (const [signal, code] of Object.entries(SIGNAL_CODES))
    process.once(signal, () => {
      // The command says what it has ended before the process exits.
      void end()
        .finally(() => yieldToEventLoop(new SystemClock()))
        .finally(() => process.exit(code));
    });
}

/** The exit code: 1 says what `verify`, `replay` and `doctor` found, so that wrong usage has another. */
function report(error: unknown): number {
  // Has been printed, as has the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  process.stderr.write(`${error instanceof CommandError ? error.message : describe(error)}\n`);
  return error instanceof CommandError ? error.exitCode : 1;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
