/**
 * Throws for an object where a query compares a value: MongoDB would read it as a query of its own, and the SQLite
 * binding ends the whole process. Also throws for undefined, which a database may take for no condition at all.
 */
export function assertPlainValue(value: unknown): void {
  if (value === undefined || (typeof value === 'object' && value !== null))
    throw new TypeError('a query compares with plain values only');
}
