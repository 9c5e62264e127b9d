import type { CatalogTool, ToolChoice } from '#contracts';
import { toModelName, toToolsetName } from './names.js';

/** Lists of allowed and blocked tools, and their owner. */
export interface OfferRule {
  by: 'deployment' | 'conversation' | 'message';
  choice: ToolChoice | undefined;
}

/** What else decides, besides the rules. */
export interface OfferConditions {
  /** By an operator, now. */
  isPaused?(toolName: string): boolean;
  /** One of these is required to use the tool; undefined: none is. */
  rolesFor?(toolName: string): readonly string[] | undefined;
  /** The user's. */
  roles?: readonly string[];
}

type Names = (tool: CatalogTool) => boolean;

/**
 * Decides which tools are offered. Every rule must let a tool pass: no one can allow a tool that the deployment blocks.
 * Entries name a toolset, an MCP server, or a tool (by bus, model or display name); `block` wins; without `allow`
 * everything is allowed. Of a server in `only`, just the listed tools stay.
 */
export class Offer {
  private readonly rules: {
    by: OfferRule['by'];
    allows: Names | undefined;
    blocks: Names | undefined;
    keepsBack: Names | undefined;
  }[];

  constructor(
    rules: readonly OfferRule[],
    private readonly conditions: OfferConditions = {},
  ) {
    this.rules = rules.map(({ by, choice }) => ({
      by,
      allows: choice?.allow && namedBy(choice.allow),
      blocks: choice?.block && namedBy(choice.block),
      keepsBack: choice?.only && notAmong(choice.only),
    }));
  }

  /** The reason as a sentence for the model; undefined when the tool is offered. */
  whyNot(tool: CatalogTool): string | undefined {
    const { isPaused, rolesFor, roles = [] } = this.conditions;
    const required = rolesFor?.(tool.name);
    if (!hasRequiredRole(required, roles)) return `${tool.name} is not offered to this user.`;
    if (isPaused?.(tool.name)) return `${tool.name} is paused by an operator.`;
    for (const { by, allows, blocks, keepsBack } of this.rules) {
      if (blocks?.(tool) || keepsBack?.(tool)) return `${tool.name} is blocked by this ${by}.`;
      if (allows && !allows(tool)) return `${tool.name} is not among the tools that this ${by} allows.`;
    }
    return undefined;
  }

  /** In the order given. */
  filter(tools: readonly CatalogTool[]): CatalogTool[] {
    return tools.filter((tool) => this.whyNot(tool) === undefined);
  }
}

/** Without required roles everybody may; otherwise one of them is enough. */
export function hasRequiredRole(required: readonly string[] | undefined, roles: readonly string[]): boolean {
  return required === undefined || required.some((role) => roles.includes(role));
}

/** Entries that name none of these tools: likely mistakes. */
export function findUnknownEntries(
  { allow = [], block = [] }: ToolChoice,
  tools: readonly CatalogTool[],
): string[] {
  const labels = new Set(tools.flatMap(labelsOf));
  const toolsets = new Set(tools.map(({ toolset }) => toolset));
  const isKnown = (entry: string) => labels.has(entry) || toolsets.has(toolsetNamed(entry));
  return [...new Set([...allow, ...block])].filter((entry) => !isKnown(entry));
}

function namedBy(entries: readonly string[]): Names {
  const exact = new Set(entries);
  const toolsets = new Set(entries.map(toolsetNamed));
  return (tool) => toolsets.has(tool.toolset) || labelsOf(tool).some((label) => exact.has(label));
}

/** For a server that is named twice, the tools that both entries list. */
function notAmong(servers: NonNullable<ToolChoice['only']>): Names {
  const kept = servers.map(({ server, tools }) => ({
    toolset: toToolsetName(server),
    tools: new Set(tools),
  }));
  return ({ toolset, own_name }) =>
    kept.some((server) => server.toolset === toolset && !server.tools.has(own_name));
}

function labelsOf({ toolset, name, display_name }: CatalogTool): string[] {
  return [toolset, name, display_name, toModelName(name)];
}

function toolsetNamed(entry: string): string {
  return toToolsetName(entry.replace(/^mcp:/, ''));
}
