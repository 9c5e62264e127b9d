/** Whether a text begins as JSON with parts does, which is shown as a tree if it is whole. */
export function isTreeText(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
