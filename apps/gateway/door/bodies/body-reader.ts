/**
 * Makes a request of a parsed body: a pure function that its module exports, so that a thread can load it, too. What
 * comes out is plain data of few values, because it is copied from the thread: texts cost little, many small values
 * much.
 */
export interface BodyReader<Output, Body = unknown> {
  /** `import.meta.url` of the module. */
  module: string;
  /** Under which the module exports it. */
  name: string;
  read(body: Body): Output;
}
