import type { Toolset } from '#contracts';

/**
 * The toolsets that fit into the given number of bytes of JSON, and the toolsets left out. The largest ones are left
 * out, so that they are as few as possible. No process reads an announcement that is too large: without this limit,
 * one large server would hide all tools of a worker.
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
