/** What the demo model says to "count to <last>". */
export function numbersTo(last: number): string {
  return Array.from({ length: last }, (_, i) => i + 1).join(' ');
}
