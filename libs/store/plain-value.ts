/**
 * Throws for an object where a query compares a value: MongoDB would read it as a query of its own, and the SQLite
 * binding ends the whole process.
 */
export function assertPlainValue(value: unknown): void {
  if (typeof value === 'object' && value !== null)
    throw new TypeError('a query compares with plain values only');
}
