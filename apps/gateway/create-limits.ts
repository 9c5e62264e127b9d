import type { Refusals } from '#observability';
import { ARTIFACT_LIMITS, ArtifactPlaces } from './artifacts/artifact-places.js';
import { OpenLimit } from './auth/open-limit.js';
import type { GatewayDeps } from './gateway.deps.js';
import { UnknownSockets } from './socket/unknown-sockets.js';
import { UNREAD_LIMITS, UnreadBytes } from './socket/unread-bytes.js';
import { UserTraffic } from './socket/user-traffic.js';

/*
 * Limits of users and addresses. Without accounts everybody is one user at one address, so there only the limits of the
 * whole process hold.
 */

export function createUserTraffic({ auth, limits }: GatewayDeps['config']): UserTraffic {
  const socketsPerUser = auth.kind === 'none' ? limits.sockets : limits.socketsPerUser;
  return new UserTraffic({ ...limits, socketsPerUser });
}

export function createOpenStreams({ auth, limits }: GatewayDeps['config']): OpenLimit {
  const perUser = auth.kind === 'none' ? limits.httpRequests : limits.streamsPerUser;
  return new OpenLimit({ what: 'streams', perUser });
}

export function createArtifactPlaces({ auth }: GatewayDeps['config'], refusals: Refusals): ArtifactPlaces {
  const { atOnce } = ARTIFACT_LIMITS;
  const perUser = auth.kind === 'none' ? atOnce : ARTIFACT_LIMITS.perUser;
  return new ArtifactPlaces({ ...ARTIFACT_LIMITS, perUser }, refusals);
}

export function createUnreadBytes({ auth }: GatewayDeps['config'], refusals: Refusals): UnreadBytes {
  const { perUser, inAll } = UNREAD_LIMITS;
  return new UnreadBytes({ perUser: auth.kind === 'none' ? inAll : perUser, inAll }, refusals);
}

export function createUnknownSockets(
  { config, metrics }: Pick<GatewayDeps, 'config' | 'metrics'>,
  refusals: Refusals,
): UnknownSockets {
  const { unknownSockets: places, unknownSocketsPerAddress } = config.limits;
  const perAddress = config.auth.kind === 'none' ? places : unknownSocketsPerAddress;
  return new UnknownSockets({
    limits: { places, perAddress },
    refusals,
    count: (size) => metrics.unknownSockets.set(size),
  });
}
