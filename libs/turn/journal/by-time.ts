/** Sorts rows by their time; those of one moment keep their order. */
export function byTime(a: { at: string }, b: { at: string }): number {
  return a.at < b.at ? -1 : Number(a.at > b.at);
}
