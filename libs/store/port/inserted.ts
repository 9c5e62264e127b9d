/** An insert that exactly one process wins. `row` is the row in the store, the caller's or the winner's. */
export type Inserted<T> = { won: boolean; row: T };
