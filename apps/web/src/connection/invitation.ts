const pattern = /^#invitation=([A-Za-z0-9_-]{1,100})$/;

/** The token of an invitation's link. It is a fragment, so no server and no proxy sees it before it is used. */
export function readInvitation(): string | undefined {
  return pattern.exec(location.hash)?.[1];
}

/** It was used: the address must not offer it again. */
export function forgetInvitation(): void {
  if (readInvitation() !== undefined) history.replaceState(null, '', '#/');
}
