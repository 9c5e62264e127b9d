import { Command, InvalidArgumentError } from 'commander';
import type { Environment } from '#bootstrap';
import { SystemClock } from '#time';
import { addAccountCommands } from './account-commands.js';
import { addAuditCommand } from './audit-command.js';
import { addCallCommand } from './call-commands.js';
import { addDeadLetterCommands } from './dead-letter-commands.js';
import { addDoctorCommand } from './doctor-command.js';
import { addFleetCommands } from './fleet-commands.js';
import { addGroupsCommand } from './group-commands.js';
import { addInvitationCommands } from './invitation-commands.js';
import { GatewayApi } from './gateway-api.adapter.js';
import { addReplayCommand } from './replay-command.js';
import { addSwitchCommands } from './switch-commands.js';
import { addToolsCommand } from './tools-command.js';
import { addTurnCommands } from './turn-commands.js';
import { addUsageCommand } from './usage-command.js';
import type { Terminal } from './terminal.js';
import { addVerifyCommand } from './verify-command.js';
import { addWorkerContractCommand } from './worker-contract-command.js';

const DEFAULT_PORT = '3000';

/** Every command. Failures are thrown. */
export function createProgram(terminal: Terminal): Command {
  const { write, environment } = terminal;
  const program = new Command('switchyard')
    .description(
      'Manages a running Switchyard over the HTTP API of one of its gateways, and checks its store.',
    )
    .option(
      '--url <url>',
      'address of a gateway (default: the one here, on PORT)',
      parseUrl,
      gatewayHere(environment),
    )
    .addHelpText(
      'after',
      '\nWith AUTH=jwt (npm run token) or AUTH=local set SWITCHYARD_TOKEN to a token of an operator.',
    )
    .showHelpAfterError()
    .exitOverride()
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
  addAuditCommand(program, openApi, write);
  addReplayCommand(program, openApi, terminal);
  addVerifyCommand(program, openApi, terminal);
  addDoctorCommand(program, openApi, terminal);
  addToolsCommand(program, openApi, terminal);
  addGroupsCommand(program, terminal);
  addWorkerContractCommand(program, terminal);
  return program;
}

/** The gateway that starts with the same variables. */
function gatewayHere({ PORT: port = '' }: Environment): string {
  return `http://127.0.0.1:${/^[1-9]\d{0,4}$/.test(port.trim()) ? port.trim() : DEFAULT_PORT}`;
}

function parseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('It must start with http:// or https://.');
  return text;
}
