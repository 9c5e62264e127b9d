import { Inject } from '@nestjs/common';

/** Nest's name for the `LocalAccounts` of a gateway that has them. */
export const LOCAL_ACCOUNTS = Symbol('local accounts');

/** As `FromGateway`, for controllers that exist only with accounts. */
export const FromAccounts = (): ParameterDecorator => Inject(LOCAL_ACCOUNTS);
