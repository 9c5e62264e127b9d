import type { Random } from '#time';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The largest multiple of 62 in a byte: values above would favour some characters. */
const UNBIASED = 248;

/** `call_` + 22 random `[A-Za-z0-9]`. */
export function newToolCallId(random: Pick<Random, 'bytes'>): string {
  let id = 'call_';
  while (id.length < 27) {
    for (const byte of random.bytes(32)) {
      if (byte < UNBIASED && id.length < 27) id += ALPHABET[byte % 62];
    }
  }
  return id;
}
