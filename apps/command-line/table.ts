/** Columns as wide as their widest cell, two spaces between them. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) => line.map(printable));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) => `${line.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd() + '\n')
    .join('');
}

/** What others wrote must not drive the terminal that looks at it. */
function printable(cell: string): string {
  return cell.replace(/\p{Cc}/gu, '\uFFFD');
}
