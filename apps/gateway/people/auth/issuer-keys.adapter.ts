import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from 'jose';
import type { Clock } from '#time';

/** Shortest time between two look-ups of an unknown key: invented key ids must not each reach the issuer. */
const COOL_DOWN_MS = 5_000;
/** How long a key that the issuer has withdrawn is still trusted. */
const CACHE_MS = 600_000;
const TIMEOUT_MS = 5_000;
/** Room for hundreds of keys. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Pause before an issuer that did not answer is asked again. */
const FAILURE_PAUSE_MS = 2_000;
/** How long keys are still trusted after they were read, while the issuer is unreachable. */
const MAX_KEY_AGE_MS = 3_600_000;

/** The issuer's keys are needed and cannot be read. */
export class KeysUnavailableError extends Error {
  override name = 'KeysUnavailableError';
}

/**
 * The keys at an issuer's address. They are read when they are first needed, when they are old, and when a token names
 * an unknown key, so that rotation is noticed. A failing issuer is asked every two seconds, however many tokens come in;
 * meanwhile the known keys stay in use. Throws `KeysUnavailableError`, or the error of `jose` for an unknown key.
 */
export function createIssuerKeys(url: URL, clock: Pick<Clock, 'now'>): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(url, {
    cooldownDuration: COOL_DOWN_MS,
    cacheMaxAge: CACHE_MS,
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: fetchBounded,
  });
  let failedAt = -Infinity;
  let readAt = -Infinity;

  const findKnown = async (...[header, token]: Parameters<JWTVerifyGetKey>) => {
    const keys = clock.now() - readAt < MAX_KEY_AGE_MS ? remote.jwks() : undefined;
    if (!keys) throw new KeysUnavailableError();
    return createLocalJWKSet(keys)(header, token).catch((error: unknown) => {
      throw error instanceof errors.JWKSNoMatchingKey ? new KeysUnavailableError() : error;
    });
  };

  return async (header, token) => {
    if (clock.now() - failedAt < FAILURE_PAUSE_MS) return findKnown(header, token);
    try {
      return await remote(header, token);
    } catch (error) {
      if (isAboutToken(error)) throw error;
      failedAt = clock.now();
      return await findKnown(header, token);
    } finally {
      if (remote.coolingDown) readAt = clock.now();
    }
  };
}

/** Breaks off an answer that is too long while it is read; it counts like no answer. */
const fetchBounded: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  let bytes = 0;
  const limiter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes <= MAX_ANSWER_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`The keys exceed the limit of ${MAX_ANSWER_BYTES} bytes.`));
    },
  });
  return new Response(response.body?.pipeThrough(limiter), response);
};

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}
