/** How TypeScript is compiled in memory: by jest, by programs of the tests, and for the mutants. */
export const swcOptions = /** @type {const} */ ({
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
  },
  module: { type: 'es6' },
});
