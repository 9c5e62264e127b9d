import { approverRoles, namedRoles, settingsOfTool } from '#bootstrap';
import type { OfferedRules } from './catalogue/offered-tools.js';
import type { GatewayDeps } from './gateway.deps.js';
import type { createLocalAccounts } from './people/accounts/create-local-accounts.js';
import { Roles } from './people/roles.js';
import { Approvals, type ApprovalsDeps } from './turns/approvals.js';
import { OtherApprovers, type OtherApproversDeps } from './turns/other-approvers.js';

/*
 * Who may use and who may approve what, by the rules of `CONFIG`.
 */

type Config = GatewayDeps['config'];
type LocalAccounts = ReturnType<typeof createLocalAccounts>;

export function createRoles(config: Config, local: LocalAccounts): Roles {
  return new Roles(namedRoles(config), local && ((user) => local.known.rolesOf(user)));
}

export function offerRules({ offer, tools }: Config, roles: Roles): OfferedRules {
  return { choice: offer, access: { roles, rolesFor: (name) => settingsOfTool(tools, name).roles } };
}

export function createApprovals(deps: Omit<ApprovalsDeps, 'nameOf'>, local: LocalAccounts): Approvals {
  return new Approvals({ ...deps, nameOf: async (id) => (await local?.accounts.get(id))?.username });
}

export function createOtherApprovers(
  deps: Pick<OtherApproversDeps, 'store' | 'roles' | 'actions'>,
  config: Config,
  approvals: Approvals,
): OtherApprovers {
  const onAnswered = (toolCallId: string): void => approvals.forget(toolCallId);
  return new OtherApprovers({ ...deps, approverRoles: approverRoles(config), onAnswered });
}
