import { toTerminalSafe } from '#observability';

/** Columns as wide as their widest cell, two spaces between them. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((line) =>
    line.map((cell) => toTerminalSafe(cell).replaceAll('\n', '\uFFFD')),
  );
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map(
      (line) =>
        line
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd() + '\n',
    )
    .join('');
}
