import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

export interface SigningKey {
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

export async function makeKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export interface Claims {
  sub?: string;
  iss?: string;
  aud?: string;
  exp?: number;
}

export function signWith({ alg, privateKey, jwk }: SigningKey, claims: Claims = {}): Promise<string> {
  return new SignJWT({ sub: 'ann', exp: Math.floor(Date.now() / 1000) + 3600, ...claims })
    .setProtectedHeader({ alg, kid: jwk.kid })
    .sign(privateKey);
}

/** Somebody else's login: a server of keys that can be changed, broken and counted. */
export class Issuer {
  keys: JWK[] = [];
  asked = 0;
  /** Instead of the keys. */
  answer: ((response: ServerResponse) => void) | undefined;
  private port = 0;
  private readonly server = createServer((_request, response) => {
    this.asked++;
    if (this.answer) return this.answer(response);
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: this.keys }));
  });

  get url(): string {
    return `http://127.0.0.1:${this.port}/keys`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Nobody listens at its address any more. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }
}
