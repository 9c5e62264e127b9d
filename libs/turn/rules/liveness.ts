/** What is known of a process: `suspect` is enough to run again what may run again, only `dead` allows `unknown`. */
export type Liveness = 'alive' | 'suspect' | 'dead';
