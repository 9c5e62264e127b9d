import { Inject } from '@nestjs/common';

/** Nest's token for the gateway, the one provider from which controllers and guards take what they need. */
export const GATEWAY = Symbol('gateway');

/**
 * A constructor parameter whose type says which members of the gateway it needs. The list of controllers checks that
 * the gateway has them.
 */
export const FromGateway = (): ParameterDecorator => Inject(GATEWAY);
