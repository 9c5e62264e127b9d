/** Controllers that are served together, and what they take by `@FromParts()`. */
export interface Routes {
  controllers: (new (parts: never) => object)[];
  parts: object;
}

/** Checks that `parts` has what the controllers take. */
export function toRoutes<Parts extends object>(
  parts: Parts,
  controllers: (new (parts: Parts) => object)[],
): Routes {
  return { parts, controllers };
}
