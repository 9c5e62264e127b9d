import { existsSync } from 'node:fs';
import { types } from 'node:util';
import { armFault } from '#faults';
import { redactText } from '#observability';

/** Recognised by name, because the classes are in libs that this one must not load. Their messages say what to do. */
const CLEAR_ERRORS = new Set([
  'ConfigError',
  'ModelSetupError',
  'StoreSetupError',
  'StoreUnavailableError',
  'BusSetupError',
  'McpConfigError',
  'ToolSetupError',
  'FaultSetupError',
]);

/**
 * The frame of every `main.ts`: reads `./.env` if it exists (the real environment wins), then runs `main`. A known
 * error becomes one clear text on standard error without a stack; any error exits 1.
 */
export async function runMain(name: string, main: () => Promise<void>): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    armFault(process.env.SWITCHYARD_FAULT);
    await main();
  } catch (error) {
    process.stderr.write(`${describeStartFailure(name, error)}\n`);
    process.exit(1);
  }
}

/** The text for a person at the terminal; secrets are hidden. */
export function describeStartFailure(name: string, error: unknown): string {
  if (!types.isNativeError(error) && !(error instanceof Error))
    return `The ${name} cannot start: ${redactText(String(error))}`;
  if (CLEAR_ERRORS.has(error.name)) return `The ${name} cannot start: ${redactText(error.message)}`;
  return (
    describeListenError(error) ?? `The ${name} cannot start:\n${redactText(error.stack ?? error.message)}`
  );
}

function describeListenError(
  error: NodeJS.ErrnoException & { port?: number; address?: string },
): string | undefined {
  const port = error.port === undefined ? 'The port' : `Port ${error.port}`;
  if (error.code === 'EADDRINUSE') {
    return `${port} is in use: stop the program that uses it, or set PORT (OPS_PORT for health and metrics) to a free port.`;
  }
  if (error.code === 'EACCES' && error.syscall === 'listen') {
    return `${port} needs more privileges: set PORT to a port above 1023.`;
  }
  if (error.syscall === 'getaddrinfo') return `A host name cannot be resolved (${error.code}): check HOST.`;
  if (error.syscall === 'listen') {
    return `Cannot listen on HOST (${error.code}): set HOST to an address of this machine, like 127.0.0.1.`;
  }
  return undefined;
}
