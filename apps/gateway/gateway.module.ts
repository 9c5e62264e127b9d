import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HealthModule } from '#observability';
import { AccountsController } from './people/accounts/accounts.controller.js';
import { SessionsController } from './people/accounts/sessions.controller.js';
import { AdminAccountsController } from './operator/accounts.controller.js';
import { AuditController } from './operator/audit.controller.js';
import { CallsController } from './operator/calls.controller.js';
import { DeadLettersController } from './operator/dead-letters.controller.js';
import { DoctorController } from './operator/doctor.controller.js';
import { FleetController } from './operator/fleet.controller.js';
import { SwitchesController } from './operator/switches.controller.js';
import { InvitationsController } from './operator/invitations.controller.js';
import { AllUsageController } from './operator/usage.controller.js';
import { VerifyController } from './operator/verify.controller.js';
import { ConnectionsController } from './connections/connections.controller.js';
import { CallbackController } from './connections/callback.controller.js';
import { ArtifactsController } from './artifacts/artifacts.controller.js';
import { MeController } from './people/auth/me.controller.js';
import { HttpUserGuard } from './people/auth/http-user.guard.js';
import { StreamGuard } from './people/auth/stream.guard.js';
import { ModelsController } from './catalogue/models.controller.js';
import { ToolsController } from './catalogue/tools.controller.js';
import { ControlController } from './control.controller.js';
import { ConversationsController } from './turns/conversations.controller.js';
import { ProblemFilter } from './door/refusals/problem.filter.js';
import type { GatewayDeps } from './gateway.deps.js';
import type { Gateway } from './gateway.js';
import { GATEWAY } from './http/from-gateway.decorator.js';
import { PARTS } from './http/from-parts.decorator.js';
import { createPage } from './door/http/page.js';
import { toRoutes, type Routes } from './http/routes.js';
import { McpController } from './mcp/mcp.controller.js';
import { ChatGateway } from './client/chat.gateway.js';
import { ApprovalsController } from './turns/approvals.controller.js';
import { TurnsController } from './turns/turns.controller.js';
import { UsageController } from './usage/usage.controller.js';

/** A class whose constructor takes some of `Parts`; a missing part does not compile. */
type Takes<Parts> = new (parts: Parts) => object;

const CONTROLLERS: Takes<Gateway>[] = [
  MeController,
  ModelsController,
  ToolsController,
  ConversationsController,
  TurnsController,
  ApprovalsController,
  ArtifactsController,
  CallbackController,
  ConnectionsController,
  DeadLettersController,
  CallsController,
  FleetController,
  SwitchesController,
  VerifyController,
  DoctorController,
  AuditController,
  UsageController,
  AllUsageController,
  McpController,
  ControlController,
];
/** Nest creates guards again in each module that uses them; here the compiler checks what they take. */
const PROVIDERS: Takes<Gateway>[] = [ChatGateway, HttpUserGuard, StreamGuard];
/** Only with `AUTH=local`. */
const ACCOUNT_CONTROLLERS = [
  AccountsController,
  SessionsController,
  AdminAccountsController,
  InvitationsController,
];

/** Health and metrics included where the configuration has them. The app that imports it must be set up by `configureGateway`. */
@Module({})
export class GatewayModule {
  static forRoot(gateway: Gateway, deps: GatewayDeps): DynamicModule {
    const { logger, pageDir } = deps;
    const { dialects, sendError } = gateway;
    return {
      module: GatewayModule,
      // For the guards of all routes.
      global: true,
      exports: [GATEWAY],
      imports: [...opsModules(deps), ...routesOf(gateway).map(moduleOf)],
      controllers: CONTROLLERS as Type[],
      providers: [
        { provide: GATEWAY, useValue: gateway },
        ...(PROVIDERS as Type[]),
        {
          provide: APP_FILTER,
          useValue: new ProblemFilter(logger, createPage(pageDir), sendError, dialects),
        },
      ],
    };
  }
}

function opsModules({ config, health, metrics }: GatewayDeps): DynamicModule[] {
  switch (config.opsPaths) {
    case 'all':
      return [HealthModule.register({ health, registry: metrics.registry })];
    case 'health':
      return [HealthModule.register({ health })];
    case 'none':
      return [];
  }
}

/** Besides those of the gateway itself. */
function routesOf({ localAccounts, openDialects }: Gateway): Routes[] {
  const accounts = localAccounts ? [toRoutes(localAccounts, ACCOUNT_CONTROLLERS)] : [];
  return [...accounts, ...openDialects.map(({ routes }) => routes)];
}

function moduleOf({ controllers, parts }: Routes): DynamicModule {
  // A separate class, so that two of them are two modules.
  const module = class RoutesModule {};
  return { module, controllers: controllers as Type[], providers: [{ provide: PARTS, useValue: parts }] };
}
