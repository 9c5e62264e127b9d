import { parseArgs } from 'node:util';
import { ConfigError, runMain, type Environment } from '#bootstrap';
import { SystemClock } from '#time';
import { signToken } from './people/auth/json-web-token.adapter.js';

const DEFAULT_HOURS = 24;
const USAGE = 'npm run token -- --user <name> [--hours <number>] [--operator] [--role <name>]…';

/** `npm run token -- --user ann [--hours 24] [--operator] [--role finance]`: prints a token for `AUTH=jwt` with `JWT_SECRET`. */
await runMain('token command', async () => {
  const { hours, ...user } = readArguments(process.argv.slice(2));
  const token = await signToken(new SystemClock(), user, hours, readSettings(process.env));
  process.stdout.write(`${token}\n`);
});

interface TokenArguments {
  id: string;
  isOperator: boolean;
  roles: string[];
  hours: number;
}

function readArguments(args: string[]): TokenArguments {
  const values = parse(args);
  const user = values.user ?? '';
  const hours = Number(values.hours ?? DEFAULT_HOURS);
  const problems = [
    ...(user === '' || user.length > 256 ? [`--user must be the name of a user: ${USAGE}`] : []),
    ...(hours > 0 && hours <= 87_600 ? [] : ['--hours must be a number from 0 to 87600']),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return { id: user, hours, isOperator: values.operator === true, roles: values.role ?? [] };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        user: { type: 'string' },
        hours: { type: 'string' },
        operator: { type: 'boolean' },
        role: { type: 'string', multiple: true },
      },
    }).values;
  } catch {
    throw new ConfigError([`the arguments must be those of ${USAGE}`]);
  }
}

function readSettings({ JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE }: Environment) {
  if (!JWT_SECRET) throw new ConfigError(['JWT_SECRET is missing: set it to the secret of the gateway']);
  if (JWT_SECRET.length < 32) throw new ConfigError(['JWT_SECRET must have at least 32 characters']);
  return {
    kind: 'jwt' as const,
    secret: JWT_SECRET,
    issuer: JWT_ISSUER || undefined,
    audience: JWT_AUDIENCE || undefined,
  };
}
