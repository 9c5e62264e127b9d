import { z } from 'zod';
import {
  userRoleSchema,
  toolClassSchema,
  toolChoiceSchema,
  type ToolChoice,
  type ToolClass,
} from '#contracts';
import { positive } from './positive.js';

/** A toolset (`math`) or one of its tools (`math.add`). */
const toolKeySchema = z
  .string()
  .max(128)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, { error: 'must be a toolset (math) or a tool (math.add)' });

/**
 * Whether a person must approve a call before it starts: `always`, `never`, or `first` (until a call of the tool has
 * been approved in the conversation). `true` and `false` mean `always` and `never`.
 */
const approvalModeSchema = z
  .union([z.boolean(), z.enum(['always', 'first', 'never'])], {
    error: 'must be always, first or never',
  })
  .transform((mode) => {
    if (mode === true) return 'always';
    return mode === false ? 'never' : mode;
  });

const rateSchema = z
  .strictObject({ calls: positive(1_000_000), per_seconds: z.number().min(0.1).max(86_400) })
  .transform(({ calls, per_seconds }) => ({ calls, perMs: per_seconds * 1_000 }));

const someRolesSchema = z.array(userRoleSchema).min(1, { error: 'must name a role' }).max(100);

const fairShareSchema = z.number().min(0.001).max(1);

const toolSettingsSchema = z.strictObject({
  class: toolClassSchema.optional(),
  timeout_ms: positive(1_200_000).optional(),
  approve: approvalModeSchema.optional(),
  /** In place of `approve`, for users with a role; of several, the first one counts. */
  approve_for: z.record(userRoleSchema, approvalModeSchema).optional(),
  /** Somebody else with one of these roles approves its calls, in place of the user who asked. */
  approvers: someRolesSchema.optional(),
  /** Only users with one of these roles may use it. */
  roles: someRolesSchema.optional(),
  /** Parallel calls in one worker, of the whole toolset. */
  concurrency: positive(1_000).optional(),
  /** The share of a toolset's places that one user may take while calls wait; 1: all of them. */
  fair_share: fairShareSchema.optional(),
  /** Bytes of a result that the model gets; the rest is stored as an artifact. */
  output_bytes: z.int().min(2_048).max(131_072).optional(),
  /** Calls started in the whole fleet; for a toolset, the sum over its tools. */
  rate: rateSchema.optional(),
  /** Calls with the same arguments that run in one turn: set more for a tool that is polled until something changes. */
  identical_calls: positive(1_000_000).optional(),
});

type ToolEntries = Record<string, z.output<typeof toolSettingsSchema>>;

/** Approvers whom no call of their tool would ask look like a protection that is not there. */
function refuseIdleApprovers(tools: ToolEntries, context: z.core.$RefinementCtx<ToolEntries>): void {
  for (const [name, { approvers, approve, approve_for }] of Object.entries(tools)) {
    const toolset = name.slice(0, Math.max(0, name.indexOf('.')));
    const { approve: inherited, approve_for: inheritedFor } = tools[toolset] ?? {};
    const modes = Object.values(approve_for ?? inheritedFor ?? {});
    if (!approvers || (approve ?? inherited) !== 'never' || modes.some((mode) => mode !== 'never')) continue;
    const message =
      approve === undefined
        ? `would never be asked: approve of ${toolset} is never. Set approve of ${name}`
        : 'would never be asked: approve is never. Take out one of the two';
    context.addIssue({ code: 'custom', path: [name, 'approvers'], message });
  }
}

export const toolSettingsShape = {
  tools: z
    .record(toolKeySchema, toolSettingsSchema)
    .refine(
      (tools) =>
        Object.entries(tools).every(
          ([name, { concurrency }]) => !name.includes('.') || concurrency === undefined,
        ),
      {
        error: 'concurrency applies to a toolset (math), not to a tool (math.add)',
      },
    )
    .refine(
      (tools) =>
        Object.entries(tools).every(
          ([name, { fair_share }]) => !name.includes('.') || fair_share === undefined,
        ),
      {
        error: 'fair_share applies to a toolset (math), not to a tool (math.add)',
      },
    )
    .superRefine(refuseIdleApprovers)
    .default({}),
  /** For the tools of a class without a setting by name. */
  approve: z.partialRecord(toolClassSchema, approvalModeSchema).default({}),
  /** For toolsets without their own setting, and for turns. */
  fair_share: fairShareSchema.default(0.25),
  /** The tools offered to models: servers, toolsets, or single tools; `block` wins. */
  offer: z.strictObject(toolChoiceSchema.shape).prefault({}),
  /** A breaking change without a new major version blocks its tool until an operator accepts it. */
  quarantine: z.boolean().default(false),
};

export type ApprovalMode = z.output<typeof approvalModeSchema>;
export type CallRate = z.output<typeof rateSchema>;

export interface ToolSettings {
  class?: ToolClass;
  timeoutMs?: number;
  approve?: ApprovalMode;
  /** In order. */
  approveFor?: readonly (readonly [role: string, mode: ApprovalMode])[];
  approvers?: readonly string[];
  roles?: readonly string[];
  concurrency?: number;
  fairShare?: number;
  outputBytes?: number;
  rate?: CallRate;
  identicalCalls?: number;
}

export interface ToolPolicy {
  /** By toolset (`math`) or tool (`math.add`). */
  tools: ReadonlyMap<string, ToolSettings>;
  approvalByClass: Partial<Record<ToolClass, ApprovalMode>>;
  offer: ToolChoice;
  /** For toolsets without their own setting, and for turns. */
  fairShare: number;
  /** Whether a breaking change without a new major version blocks its tool. */
  quarantine: boolean;
}

export function toToolPolicy(file: z.output<z.ZodObject<typeof toolSettingsShape>>): ToolPolicy {
  const { tools, approve, offer, fair_share, quarantine } = file;
  return {
    tools: new Map(
      Object.entries(tools).map(
        ([name, { timeout_ms, output_bytes, identical_calls, fair_share, approve_for, ...tool }]) => [
          name,
          {
            ...tool,
            timeoutMs: timeout_ms,
            outputBytes: output_bytes,
            identicalCalls: identical_calls,
            fairShare: fair_share,
            approveFor: approve_for && Object.entries(approve_for),
          },
        ],
      ),
    ),
    approvalByClass: approve,
    offer,
    fairShare: fair_share,
    quarantine,
  };
}

/** The settings of a tool (`math.add`), or else of its toolset. */
export function settingsOfTool(tools: ReadonlyMap<string, ToolSettings>, toolName: string): ToolSettings {
  const toolset = tools.get(toolName.slice(0, toolName.indexOf('.'))) ?? {};
  const own = tools.get(toolName) ?? {};
  return {
    class: own.class ?? toolset.class,
    timeoutMs: own.timeoutMs ?? toolset.timeoutMs,
    approve: own.approve ?? toolset.approve,
    approveFor: own.approveFor ?? toolset.approveFor,
    approvers: own.approvers ?? toolset.approvers,
    roles: own.roles ?? toolset.roles,
    outputBytes: own.outputBytes ?? toolset.outputBytes,
    identicalCalls: own.identicalCalls ?? toolset.identicalCalls,
    // A toolset's rate is an additional limit on the sum of all its tools.
    rate: own.rate,
  };
}

/**
 * Whether a tool's calls wait for a person: by its name's setting, else its toolset's, else its class's; always if it
 * has approvers and says nothing else. What it says for a role of the user comes first.
 */
export function approvalOfTool(
  { tools, approvalByClass }: Pick<ToolPolicy, 'tools' | 'approvalByClass'>,
  tool: { name: string; class: ToolClass },
  roles: readonly string[],
): ApprovalMode {
  const { approve, approveFor = [], approvers } = settingsOfTool(tools, tool.name);
  const [, mode] = approveFor.find(([role]) => roles.includes(role)) ?? [];
  return mode ?? approve ?? (approvers && 'always') ?? approvalByClass[tool.class] ?? 'never';
}

/** The roles of those who approve calls of others. */
export function approverRoles({ tools }: Pick<ToolPolicy, 'tools'>): ReadonlySet<string> {
  return new Set([...tools.values()].flatMap(({ approvers = [] }) => approvers));
}

/** The roles that rules of tools name: no other role of a user is kept. */
export function namedRoles({ tools }: Pick<ToolPolicy, 'tools'>): ReadonlySet<string> {
  return new Set(
    [...tools.values()].flatMap(({ roles = [], approvers = [], approveFor = [] }) => [
      ...roles,
      ...approvers,
      ...approveFor.map(([role]) => role),
    ]),
  );
}
