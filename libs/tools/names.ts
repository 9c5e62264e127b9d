import { createHash } from 'node:crypto';
import { distance } from 'fastest-levenshtein';
import type { ToolSource } from '#contracts';

/*
 * One tool has three names: its own (anything, MCP decides), the bus name `toolset.tool`, and the model's name. Every
 * mapping is pure and injective. Plain names stay readable. A name that a mapping would change gets a hash of the
 * original as suffix, and so does a plain name that already ends in such a suffix.
 */

/** Short enough that the model's name always contains the whole toolset: servers cannot collide with each other. */
const MAX_TOOLSET_LENGTH = 40;
/** Together with toolset and dot within the 128 of `tool_name`. */
const MAX_TOOL_LENGTH = 87;
const MAX_MODEL_NAME_LENGTH = 64;
const HASH_LENGTH = 12;
const HASH_SUFFIX = /_[0-9a-f]{12}$/;

/** The part of the queue name for a server: `^[a-z0-9_]+$`, at most 40 characters. */
export function toToolsetName(server: string): string {
  const isPlain = /^[a-z0-9_]+$/.test(server);
  return isPlain && fits(server, MAX_TOOLSET_LENGTH)
    ? server
    : withHash(server, 'toolset', MAX_TOOLSET_LENGTH);
}

/** `toolset.tool` for a server's and a tool's own names: always a valid `tool_name`. */
export function toBusName(server: string, ownName: string): string {
  const isPlain = /^[a-z0-9_]+(\.[a-z0-9_]+)*$/.test(ownName);
  const tool =
    isPlain && fits(ownName, MAX_TOOL_LENGTH) ? ownName : withHash(ownName, 'tool', MAX_TOOL_LENGTH);
  return `${toToolsetName(server)}.${tool}`;
}

/** `math.add` → `math__add`: `^[a-zA-Z0-9_-]{1,64}$`. Only suffixed names contain a `-`. */
export function toModelName(busName: string): string {
  const readable = busName.replaceAll('.', '__');
  const isReversible = /^[a-z0-9_]+$/.test(readable) && readable.replaceAll('__', '.') === busName;
  if (isReversible && readable.length <= MAX_MODEL_NAME_LENGTH) return readable;
  const kept = readable.replace(/[^a-z0-9_]/g, '_').slice(0, MAX_MODEL_NAME_LENGTH - HASH_LENGTH - 1);
  return `${kept}-${hash(busName)}`;
}

/** The one of `tools` that the model means, if any. Bus names are accepted too: models repeat names that they read. */
export function busNameOf(modelName: string, tools: Iterable<{ name: string }>): string | undefined {
  for (const { name } of tools) if (name === modelName || toModelName(name) === modelName) return name;
  return undefined;
}

const MAX_SUGGESTIONS = 3;

/** The names closest to a wrong one, best first; case and separators do not count. */
export function suggestNames(wrong: string, names: Iterable<string>): string[] {
  const wanted = squash(wrong);
  if (wanted === '') return [];
  const scored: { name: string; edits: number }[] = [];
  for (const name of names) {
    const whole = distance(wanted, squash(name));
    const lastPart = distance(wanted, squash(name.split(/\.|__|:/).at(-1) ?? name));
    const edits = Math.min(whole, lastPart + 0.5);
    if (edits <= Math.max(2, wanted.length * 0.4)) scored.push({ name, edits });
  }
  scored.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
  return scored.slice(0, MAX_SUGGESTIONS).map(({ name }) => name);
}

/** The message to a model or a client about an unknown tool. Close names are suggested, never used silently. */
export function describeUnknownTool(
  name: string,
  known: readonly { name: string }[],
): { message: string; suggestions: string[] } {
  const suggestions = suggestNames(
    name,
    known.map((tool) => tool.name),
  ).map(toModelName);
  const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(' or ')}?` : '';
  return { message: `There is no tool ${name.slice(0, 128)}.${hint}`, suggestions };
}

interface NamedTool {
  own_name: string;
  toolset: string;
  source: ToolSource;
  /** The MCP server's name as configured. */
  server: string;
}

/**
 * The name for people: a local tool's bare name (`toolset.tool` if another toolset in `allLocal` has it too),
 * `mcp:<server>:<tool>` for MCP.
 */
export function displayName(
  tool: NamedTool,
  allLocal: Iterable<Pick<NamedTool, 'own_name' | 'toolset'>>,
): string {
  if (tool.source === 'mcp') return `mcp:${tool.server}:${tool.own_name}`;
  for (const other of allLocal) {
    if (other.own_name === tool.own_name && other.toolset !== tool.toolset)
      return `${tool.toolset}.${tool.own_name}`;
  }
  return tool.own_name;
}

function fits(name: string, maxLength: number): boolean {
  return name.length <= maxLength && !HASH_SUFFIX.test(name);
}

function withHash(original: string, fallback: string, maxLength: number): string {
  const readable = original
    .slice(0, 4 * maxLength)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .slice(0, maxLength - HASH_LENGTH - 1)
    .replace(/^_+|_+$/g, '');
  return `${readable || fallback}_${hash(original)}`;
}

function hash(text: string): string {
  // UTF-16, because in UTF-8 all lone surrogates become the same character.
  return createHash('sha256').update(Buffer.from(text, 'utf16le')).digest('hex').slice(0, HASH_LENGTH);
}

const MAX_COMPARED_LENGTH = 128;

function squash(name: string): string {
  return name
    .slice(0, MAX_COMPARED_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
