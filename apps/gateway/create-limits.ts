import type { Refusals } from '#observability';
import type { Time } from '#time';
import { ARTIFACT_LIMITS, ArtifactPlaces } from './artifacts/artifact-places.js';
import { MinuteLimit } from './auth/minute-limit.js';
import { OpenLimit } from './auth/open-limit.js';
import type { GatewayDeps } from './gateway.deps.js';
import { UnknownSockets } from './socket/unknown-sockets.js';
import { UNREAD_LIMITS, UnreadBytes } from './socket/unread-bytes.js';
import { UserTraffic } from './socket/user-traffic.js';

/*
 * Limits of users and addresses. Without accounts everybody is one user at one address, so there only the limits of the
 * whole process hold.
 */

export function createUserTraffic({ auth, limits }: GatewayDeps['config'], refusals: Refusals): UserTraffic {
  const socketsPerUser = auth.kind === 'none' ? limits.sockets : limits.socketsPerUser;
  return new UserTraffic({ ...limits, socketsPerUser }, (limit, user_id) =>
    refusals.note(limit, { user_id }),
  );
}

export function createOpenStreams({ auth, limits }: GatewayDeps['config'], refusals: Refusals): OpenLimit {
  const perUser = auth.kind === 'none' ? limits.httpRequests : limits.streamsPerUser;
  const onRefusal = (user_id: string) => refusals.note('streams_per_user', { user_id });
  return new OpenLimit({ what: 'streams', perUser, onRefusal });
}

/** Sockets that one user, or all together, may open within a minute. */
export function createConnectionRate(
  { limits }: GatewayDeps['config'],
  refusals: Refusals,
  { clock }: Time,
): MinuteLimit {
  const { connectionsPerMinute: perUser, allConnectionsPerMinute: inAll } = limits;
  const names = { user: 'connections_per_minute', all: 'all_connections_per_minute' };
  const onRefusal = (by: 'user' | 'all', user_id: string) => refusals.note(names[by], { user_id });
  return new MinuteLimit({ what: 'connections', perUser, inAll, onRefusal }, clock);
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
