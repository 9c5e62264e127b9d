/** Of a body on most paths, and of what is parsed where everything else runs, too. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** `JsonMeter.values` of a body. What is kept of it is encoded several times. */
export const MAX_VALUES = 10_000;
/** Of a frame of a socket: one that is nested too deeply is answered, if it has no more. */
export const MAX_FRAME_VALUES = 50_000;
/** Of a dialect's body: of most of its values nothing is kept. */
export const MAX_DIALECT_VALUES = 50_000;
/** Of a body that a thread reads. */
export const MAX_LARGE_VALUES = 200_000;
/** A body that a thread can read goes there from this number on: what its reader does costs more than parsing. */
export const MAX_VALUES_IN_PLACE = 20_000;
/** Two names and a password. */
export const MAX_FORM_BYTES = 64 * 1024;
