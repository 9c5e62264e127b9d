import {
  definitionIdOf,
  type Definition,
  type ListedDefinition,
  type ToolDefinition,
  type Toolset,
} from '#contracts';
import { breakingChanges } from './breaking-changes.js';
import { compareVersions, majorOf, versionOf } from './versions.js';

export type Judged = Pick<Definition, '_id' | 'tool' | 'toolset' | 'version' | 'contract' | 'breaks'> & {
  /** The version that it breaks; the same as `version` if that did not change. Absent: it breaks nothing. */
  breaks_version?: string;
};

/**
 * The definition with which a newly announced one is compared: the newest accepted one of its major version that is not
 * newer than itself. Undefined: it is the first, or of an older worker, and breaks nothing.
 */
export function predecessorOf<Known extends ListedDefinition>(
  toolset: Toolset,
  tool: ToolDefinition,
  known: readonly Known[],
): Known | undefined {
  const version = versionOf(toolset, tool);
  return known
    .filter((row) => row.tool === tool.name && row.state === 'accepted')
    .filter((row) => majorOf(row.version) === majorOf(version) && compareVersions(row.version, version) <= 0)
    .sort((a, b) => compareVersions(a.version, b.version) || (a.at < b.at ? -1 : 1))
    .at(-1);
}

/** A newly announced definition of a tool, compared with its predecessor. */
export function judgeDefinition(
  toolset: Toolset,
  tool: ToolDefinition,
  before: Pick<Definition, 'version' | 'contract'> | undefined,
): Judged {
  const version = versionOf(toolset, tool);
  const { name, class: toolClass, input_schema, output_schema } = tool;
  const contract = { class: toolClass, input_schema, ...(output_schema && { output_schema }) };
  const judged = { _id: definitionIdOf(tool), tool: name, toolset: toolset.name, version, contract };
  const breaks = before ? breakingChanges(before.contract, contract) : [];
  return { ...judged, breaks, ...(breaks.length > 0 && { breaks_version: before!.version }) };
}
