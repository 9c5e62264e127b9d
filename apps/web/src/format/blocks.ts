const fence = /^ {0,3}(`{3,}|~{3,})/;
const listItem = /^ {0,3}([-*+]|\d{1,9}[.)])\s/;
/** A link or footnote definition affects the whole text, so such a text stays one block. */
const definition = /^ {0,3}\[[^\]]+\]:/m;

/**
 * Cuts Markdown at blank lines between top-level blocks. The pieces, joined by blank lines, mean the same. While a text
 * grows, only the last piece changes, so only that one is parsed again.
 */
export function splitBlocks(markdown: string): string[] {
  if (definition.test(markdown)) return [markdown];
  const blocks: string[] = [];
  let block: string[] = [];
  let openFence: string | undefined;
  let isAfterBlank = false;
  for (const line of markdown.split('\n')) {
    const isBlank = line.trim() === '';
    if (openFence === undefined && isAfterBlank && !isBlank && startsBlock(line, block)) {
      blocks.push(block.join('\n'));
      block = [];
    }
    const marker = fence.exec(line)?.[1];
    if (marker && openFence === undefined) openFence = marker;
    else if (marker && openFence !== undefined && closes(marker, openFence, line)) openFence = undefined;
    if (!isBlank || block.length > 0) block.push(line);
    isAfterBlank = isBlank;
  }
  if (block.some((line) => line.trim() !== '')) blocks.push(block.join('\n'));
  return blocks.map((text) => text.replace(/\n+$/, ''));
}

/** An indented line continues the previous block; a list item continues a list. */
function startsBlock(line: string, block: string[]): boolean {
  if (block.length === 0) return false;
  if (/^(\t| {2,})/.test(line)) return false;
  return !(listItem.test(line) && listItem.test(block[0]!));
}

function closes(marker: string, openFence: string, line: string): boolean {
  return marker[0] === openFence[0] && marker.length >= openFence.length && line.trim() === marker;
}
