import type { CallView } from '#contracts';
import { toBusName } from '#tools';

/**
 * The name of a call's tool on its own server. A bus name contains unusual names only as a hash, so the name is taken
 * from the display name. For a tool that does not exist, it is the model's own spelling.
 */
export function serverToolName({ tool_name, display_name, source, toolset }: CallView): string {
  if (source === 'local') {
    const [bare, whole] = [withoutPrefix(display_name, `${toolset}.`), display_name];
    return [bare, whole].find((name) => toBusName(toolset, name) === tool_name) ?? display_name;
  }
  const parts = withoutPrefix(display_name, 'mcp:').split(':');
  // Both server and tool may have colons in their names.
  for (let n = 1; n < parts.length; n++) {
    const [server, name] = [parts.slice(0, n).join(':'), parts.slice(n).join(':')];
    if (toBusName(server, name) === tool_name) return name;
  }
  return withoutPrefix(tool_name, `${toolset}.`);
}

function withoutPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
