const pattern = /^#invitation=([A-Za-z0-9_-]{1,100})$/;

/** The token of an invitation link. It is in the fragment, so no server or proxy sees it before it is used. */
export function readInvitation(): string | undefined {
  return pattern.exec(location.hash)?.[1];
}

/** Called after it was used, so that the address does not offer it again. */
export function forgetInvitation(): void {
  if (readInvitation() !== undefined) history.replaceState(null, '', '#/');
}
