import { Inject } from '@nestjs/common';

/** Nest's token for the parts that some routes are served with. */
export const PARTS = Symbol('parts');

/**
 * A constructor parameter of a controller whose type says which of its routes' parts it needs; `toRoutes` checks them.
 */
export const FromParts = (): ParameterDecorator => Inject(PARTS);
