/** 32 random hex digits. `crypto.randomUUID` exists only in secure contexts, and a page on a LAN is none. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
