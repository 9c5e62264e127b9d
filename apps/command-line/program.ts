import { Command, InvalidArgumentError } from 'commander';
import type { Environment } from '#bootstrap';
import { SystemClock } from '#time';
import { addAccountCommands } from './account-commands.js';
import { addCallCommand } from './call-commands.js';
import { addDeadLetterCommands } from './dead-letter-commands.js';
import { addFleetCommands } from './fleet-commands.js';
import { addInvitationCommands } from './invitation-commands.js';
import { GatewayApi } from './gateway-api.adapter.js';
import { addSwitchCommands } from './switch-commands.js';
import { addTurnCommands } from './turn-commands.js';
import { addUsageCommand } from './usage-command.js';

const DEFAULT_URL = 'http://127.0.0.1:3000';

export interface Terminal {
  write(text: string): void;
  /** `SWITCHYARD_TOKEN` is the token of the operator. */
  environment: Environment;
}

/** Every command. Failures are thrown. */
export function createProgram({ write, environment }: Terminal): Command {
  const program = new Command('switchyard')
    .description('Manages a running Switchyard over the HTTP API of one of its gateways.')
    .option('--url <url>', 'address of a gateway', parseUrl, DEFAULT_URL)
    .addHelpText(
      'after',
      '\nWith AUTH=jwt (npm run token) or AUTH=local set SWITCHYARD_TOKEN to a token of an operator.',
    )
    .showHelpAfterError()
    .configureOutput({ writeOut: write });
  const openApi = (): GatewayApi =>
    new GatewayApi(program.opts<{ url: string }>().url, environment.SWITCHYARD_TOKEN, new SystemClock());
  addFleetCommands(program, openApi, write);
  addTurnCommands(program, openApi, write);
  addSwitchCommands(program, openApi, write);
  addDeadLetterCommands(program, openApi, write);
  addCallCommand(program, openApi, write);
  addAccountCommands(program, openApi, write);
  addUsageCommand(program, openApi, write);
  addInvitationCommands(program, openApi, write);
  return program;
}

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('It must start with http:// or https://.');
  return text;
}
