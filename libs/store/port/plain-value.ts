/**
 * Throws for an object where a query compares a value: MongoDB would read the object as query operators, and the SQLite
 * binding would end the whole process. Also throws for undefined, which a database may treat as no condition.
 */
export function assertPlainValue(value: unknown): void {
  if (value === undefined || (typeof value === 'object' && value !== null))
    throw new TypeError('a query compares with plain values only');
}
