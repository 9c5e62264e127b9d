import type { CatalogTool, ToolChoice } from '#contracts';
import { toModelName, toToolsetName } from './names.js';

/** Lists of allowed and blocked tools, and whose they are. */
export interface OfferRule {
  by: 'deployment' | 'conversation' | 'message';
  choice: ToolChoice | undefined;
}

type Names = (tool: CatalogTool) => boolean;

/**
 * Which tools are offered. Every rule must let a tool pass: what the deployment blocks nobody allows. Entries name a
 * toolset, an MCP server, or a tool (by bus, model or display name); `block` wins; without `allow` everything is
 * allowed.
 */
export class Offer {
  private readonly rules: { by: OfferRule['by']; allows: Names | undefined; blocks: Names | undefined }[];

  constructor(rules: readonly OfferRule[]) {
    this.rules = rules.map(({ by, choice }) => ({
      by,
      allows: choice?.allow && namedBy(choice.allow),
      blocks: choice?.block && namedBy(choice.block),
    }));
  }

  /** As a sentence for the model; undefined when the tool is offered. */
  whyNot(tool: CatalogTool): string | undefined {
    for (const { by, allows, blocks } of this.rules) {
      if (blocks?.(tool)) return `${tool.name} is blocked by this ${by}.`;
      if (allows && !allows(tool)) return `${tool.name} is not among the tools that this ${by} allows.`;
    }
    return undefined;
  }

  /** In the order given. */
  filter(tools: readonly CatalogTool[]): CatalogTool[] {
    return tools.filter((tool) => this.whyNot(tool) === undefined);
  }
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

function labelsOf({ toolset, name, display_name }: CatalogTool): string[] {
  return [toolset, name, display_name, toModelName(name)];
}

function toolsetNamed(entry: string): string {
  return toToolsetName(entry.replace(/^mcp:/, ''));
}
