/** Nest's name for the `Time` of a gateway. */
export const TIME = Symbol('TIME');
