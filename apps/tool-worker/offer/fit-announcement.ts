import type { Toolset } from '#contracts';

/**
 * The toolsets that fit into so many bytes of JSON, and those that are left out: the largest ones, so that as few as
 * possible. What is too large is read by nobody: without this, one large server would hide all of a worker's tools.
 */
export function fitAnnouncement(
  toolsets: readonly Toolset[],
  maxBytes: number,
): { fitting: Toolset[]; leftOut: Toolset[] } {
  const sized = toolsets.map((toolset) => ({
    toolset,
    bytes: Buffer.byteLength(JSON.stringify(toolset)) + 1,
  }));
  let total = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  const leftOut = new Set<Toolset>();
  for (const { toolset, bytes } of sized.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= maxBytes) break;
    leftOut.add(toolset);
    total -= bytes;
  }
  return { fitting: toolsets.filter((toolset) => !leftOut.has(toolset)), leftOut: [...leftOut] };
}
