import { Inject } from '@nestjs/common';

/** Nest's name for the parts that some routes are served with. */
export const PARTS = Symbol('parts');

/** A parameter of a controller's constructor whose type says what of its routes' parts it takes; `toRoutes` checks it. */
export const FromParts = (): ParameterDecorator => Inject(PARTS);
