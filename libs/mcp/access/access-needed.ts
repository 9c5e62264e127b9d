/** What a server said about the access that it wants. */
export interface Challenge {
  scope?: string;
  resourceMetadataUrl?: URL;
}

/** The user has not given access, or the issuer no longer accepts it: nothing of the request was done. */
export class AccessNeeded extends Error {
  override name = 'AccessNeeded';

  constructor(readonly challenge: Challenge) {
    super('the user has to give access');
  }
}

/** The issuer could not be asked about a user's access: nothing of the request was done. Says nothing of what it answered. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable';

  /** @param reason the name of the error */
  constructor(readonly reason: string) {
    super('the issuer could not be asked');
  }
}
