import { definitionIdOf, type Definition, type ToolDefinition, type Toolset } from '#contracts';
import { breakingChanges } from './breaking-changes.js';
import { compareVersions, majorOf, versionOf } from './versions.js';

export type Judged = Pick<Definition, '_id' | 'tool' | 'toolset' | 'version' | 'contract' | 'breaks'> & {
  /** The version that it breaks; the same as `version` if that did not change. Absent: it breaks nothing. */
  breaks_version?: string;
};

/**
 * A newly announced definition of a tool, compared with the newest accepted one of its major version that is not newer
 * than itself. Without one it breaks nothing: it is the first, or of an older worker.
 */
export function judgeDefinition(
  toolset: Toolset,
  tool: ToolDefinition,
  known: readonly Definition[],
): Judged {
  const version = versionOf(toolset, tool);
  const { name, class: toolClass, input_schema, output_schema } = tool;
  const contract = { class: toolClass, input_schema, ...(output_schema && { output_schema }) };
  const judged = { _id: definitionIdOf(tool), tool: name, toolset: toolset.name, version, contract };
  const before = predecessorOf(name, version, known);
  const breaks = before ? breakingChanges(before.contract, contract) : [];
  return { ...judged, breaks, ...(breaks.length > 0 && { breaks_version: before!.version }) };
}

function predecessorOf(tool: string, version: string, known: readonly Definition[]): Definition | undefined {
  return known
    .filter((row) => row.tool === tool && row.state === 'accepted')
    .filter((row) => majorOf(row.version) === majorOf(version) && compareVersions(row.version, version) <= 0)
    .sort((a, b) => compareVersions(a.version, b.version) || (a.at < b.at ? -1 : 1))
    .at(-1);
}
