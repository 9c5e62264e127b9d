/** Controllers that are served together, and the parts that they take by `@FromParts()`. */
export interface Routes {
  controllers: (new (parts: never) => object)[];
  parts: object;
}

/** Checks that `parts` has everything that the controllers take. */
export function toRoutes<Parts extends object>(
  parts: Parts,
  controllers: (new (parts: Parts) => object)[],
): Routes {
  return { parts, controllers };
}
