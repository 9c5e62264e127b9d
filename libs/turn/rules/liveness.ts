/** What is known of a process. `suspect` is enough to rerun a call that may run again; only `dead` allows `unknown`. */
export type Liveness = 'alive' | 'suspect' | 'dead';
