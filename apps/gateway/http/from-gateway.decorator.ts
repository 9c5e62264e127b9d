import { Inject } from '@nestjs/common';

/** Nest's name for the gateway: the one provider from which controllers and guards take what they need. */
export const GATEWAY = Symbol('gateway');

/**
 * A parameter of a constructor whose type says what of the gateway it takes. That the gateway has it is checked where
 * the controllers are listed.
 */
export const FromGateway = (): ParameterDecorator => Inject(GATEWAY);
