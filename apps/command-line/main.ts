import { existsSync } from 'node:fs';
import { CommandError } from './command-error.js';
import { createProgram } from './program.js';

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
  }).parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof CommandError ? error.message : describe(error)}\n`);
  process.exitCode = error instanceof CommandError ? error.exitCode : 1;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
