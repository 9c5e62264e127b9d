import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HealthModule } from '#observability';
import { Accounts } from './accounts/accounts.js';
import { AccountsController } from './accounts/accounts.controller.js';
import type { LocalAccounts } from './accounts/create-local-accounts.js';
import { Invitations } from './accounts/invitations.js';
import { KnownAccounts } from './accounts/known-accounts.js';
import { Registration } from './accounts/registration.js';
import { SignIn } from './accounts/sign-in.js';
import { AdminAccountsController } from './admin/accounts.controller.js';
import { Calls } from './admin/calls.js';
import { CallsController } from './admin/calls.controller.js';
import { DeadLetters } from './admin/dead-letters.js';
import { DeadLettersController } from './admin/dead-letters.controller.js';
import { AllUsageController } from './admin/usage.controller.js';
import { InvitationsController } from './admin/invitations.controller.js';
import { Artifacts } from './artifacts/artifacts.js';
import { ArtifactsController } from './artifacts/artifacts.controller.js';
import { AUTHENTICATE } from './auth/http-user.guard.js';
import { SharedCounts } from './auth/shared-counts.js';
import { OPEN_STREAMS } from './auth/stream.guard.js';
import { OfferedModels } from './catalogue/offered-models.js';
import { OfferedTools } from './catalogue/offered-tools.js';
import { ToolsController } from './catalogue/tools.controller.js';
import { ControlController } from './control/control.controller.js';
import { Conversations } from './conversations/conversations.js';
import { ConversationsController } from './conversations/conversations.controller.js';
import { DriverRequests } from './control/driver-requests.js';
import { GenesisSockets } from './dialects/genesis-chat/genesis-sockets.js';
import { Ownership } from './conversations/ownership.js';
import { chooseDialects } from './dialects/dialects.js';
import { DialectsModule } from './dialects/dialects.module.js';
import { ProblemFilter } from './errors/problem.filter.js';
import { createErrorSender } from './errors/send-error.js';
import type { GatewayDeps } from './gateway.deps.js';
import { Gateway } from './gateway.js';
import { createPage } from './http/page.js';
import { MCP_SERVER, McpController } from './mcp/mcp.controller.js';
import { Admission } from './socket/admission.js';
import { ChatGateway } from './socket/chat.gateway.js';
import { SocketRequests } from './socket/socket-requests.js';
import { SocketSessions } from './socket/socket-sessions.js';
import { AnswerCalls } from './turns/answer-calls.js';
import { StopTurns } from './turns/stop-turns.js';
import { SubmitTurn } from './turns/submit-turn.js';
import { TurnReader } from './turns/turn-reader.js';
import { TurnsController } from './turns/turns.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { UsageReader } from './usage/usage.js';

/** Health and metrics included. The app that imports it must be set up by `configureGateway`. */
@Module({})
export class GatewayModule {
  static forRoot(gateway: Gateway, deps: GatewayDeps): DynamicModule {
    const { store, health, metrics, logger, config, pageDir } = deps;
    const usage = new UsageReader(store, config.usage.budget, deps.clock);
    const dialects = chooseDialects(config.dialects);
    const sendError = createErrorSender(dialects);
    return {
      module: GatewayModule,
      imports: [
        HealthModule.register({ health, registry: metrics.registry }),
        DialectsModule.forRoot(gateway, dialects),
      ],
      controllers: [
        ToolsController,
        ConversationsController,
        TurnsController,
        ArtifactsController,
        DeadLettersController,
        CallsController,
        UsageController,
        AllUsageController,
        McpController,
        ControlController,
        ...(gateway.localAccounts
          ? [AccountsController, AdminAccountsController, InvitationsController]
          : []),
      ],
      providers: [
        ...providersOf(gateway),
        { provide: UsageReader, useValue: usage },
        ...(gateway.localAccounts ? accountProvidersOf(gateway.localAccounts) : []),
        ChatGateway,
        {
          provide: APP_FILTER,
          useValue: new ProblemFilter(logger, createPage(pageDir), sendError, dialects),
        },
      ],
    };
  }
}

function accountProvidersOf(local: LocalAccounts): Provider[] {
  const { accounts, known, signIn, registration, invitations } = local;
  return [
    { provide: Accounts, useValue: accounts },
    { provide: KnownAccounts, useValue: known },
    { provide: SignIn, useValue: signIn },
    { provide: Registration, useValue: registration },
    { provide: Invitations, useValue: invitations },
  ];
}

function providersOf(gateway: Gateway): Provider[] {
  return [
    { provide: Gateway, useValue: gateway },
    { provide: AUTHENTICATE, useValue: gateway.authenticate },
    { provide: OPEN_STREAMS, useValue: gateway.openStreams },
    { provide: Ownership, useValue: gateway.ownership },
    { provide: OfferedTools, useValue: gateway.offeredTools },
    { provide: OfferedModels, useValue: gateway.offeredModels },
    { provide: SharedCounts, useValue: gateway.counts },
    { provide: DriverRequests, useValue: gateway.drivers },
    { provide: GenesisSockets, useValue: gateway.genesisSockets },
    { provide: Calls, useValue: gateway.calls },
    { provide: MCP_SERVER, useValue: gateway.mcpServer },
    { provide: DeadLetters, useValue: gateway.deadLetters },
    { provide: Conversations, useValue: gateway.conversations },
    { provide: SubmitTurn, useValue: gateway.submitTurn },
    { provide: StopTurns, useValue: gateway.stopTurns },
    { provide: AnswerCalls, useValue: gateway.answerCalls },
    { provide: TurnReader, useValue: gateway.turnReader },
    { provide: Artifacts, useValue: gateway.artifacts },
    { provide: Admission, useValue: gateway.admission },
    { provide: SocketSessions, useValue: gateway.sessions },
    { provide: SocketRequests, useValue: gateway.socketRequests },
  ];
}
