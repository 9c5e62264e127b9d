import { Inject } from '@nestjs/common';

/** Nest's name for what a dialect gives its controllers. */
export const DIALECT = Symbol('dialect');

/** A parameter of a constructor whose type says what of its dialect's parts it takes; `toRoutes` checks it. */
export const FromDialect = (): ParameterDecorator => Inject(DIALECT);
