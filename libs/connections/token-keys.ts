import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** What the algorithm is specified for. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  id: string;
  bytes: Buffer;
}

/**
 * Encrypts what people have entrusted to us. The store has the texts and never the keys. Each text is bound to its place:
 * copied into another row, it cannot be opened.
 */
export class TokenKeys {
  private constructor(private readonly keys: readonly Key[]) {}

  /** @param encoded 32 bytes each, base64: the first one encrypts, all decrypt */
  static from(encoded: readonly string[]): TokenKeys {
    if (encoded.length === 0 || !encoded.every(isTokenKey))
      throw new TypeError('a key has 32 bytes in base64');
    return new TokenKeys(
      encoded.map((text) => {
        const bytes = Buffer.from(text, 'base64');
        return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
      }),
    );
  }

  /** `<id of the key>.<nonce>.<ciphertext and tag>`, base64url. */
  seal(text: string, place: string): string {
    const { id, bytes } = this.keys[0]!;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, bytes, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [id, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** Undefined: it was encrypted with another key, or for another place, or was changed. */
  open(sealed: string, place: string): string | undefined {
    const [id, nonce = '', content = ''] = sealed.split('.');
    const key = this.keys.find((one) => one.id === id);
    const bytes = Buffer.from(content, 'base64url');
    const nonceBytes = Buffer.from(nonce, 'base64url');
    if (!key || nonceBytes.length !== NONCE_BYTES || bytes.length < TAG_BYTES) return undefined;
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(ALGORITHM, key.bytes, nonceBytes, options)
      .setAAD(Buffer.from(place))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}

export function isTokenKey(text: string): boolean {
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) && Buffer.from(text, 'base64').length === KEY_BYTES;
}
