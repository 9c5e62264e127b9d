import type { Refusals } from '#observability';
import { ARTIFACT_LIMITS, ArtifactPlaces } from './artifacts/artifact-places.js';
import { MinuteLimit } from './limits/minute-limit.js';
import { OpenLimit } from './limits/open-limit.js';
import type { SharedCounts } from './limits/shared-counts.js';
import type { GatewayDeps } from './gateway.deps.js';
import { UnknownSockets } from './door/sockets/unknown-sockets.js';
import { UNREAD_LIMITS, UnreadBytes } from './door/sockets/unread-bytes.js';
import { UserTraffic } from './door/sockets/user-traffic.js';
import { TurnAdmission, type TurnLimit } from './turns/turn-admission.js';

type Deps = Pick<GatewayDeps, 'config' | 'clock'>;

/*
 * Limits of users and addresses. Without accounts, all clients are one user at one address, so only the limits of the
 * whole process apply.
 */

export function createUserTraffic({ config, clock }: Deps, refusals: Refusals): UserTraffic {
  const { auth, limits } = config;
  const socketsPerUser = auth.kind === 'none' ? limits.sockets : limits.socketsPerUser;
  const note = (limit: string, user_id: string) => refusals.note(limit, { user_id });
  return new UserTraffic({ ...limits, socketsPerUser }, note, clock);
}

export function createOpenStreams({ auth, limits }: GatewayDeps['config'], refusals: Refusals): OpenLimit {
  const perUser = auth.kind === 'none' ? limits.httpRequests : limits.streamsPerUser;
  const onRefusal = (user_id: string) => refusals.note('streams_per_user', { user_id });
  return new OpenLimit({ what: 'streams', perUser, onRefusal });
}

/** Sockets that one user, or all users together, may open within a minute. */
export function createConnectionRate({ config, clock }: Deps, refusals: Refusals): MinuteLimit {
  const { connectionsPerMinute: perUser, allConnectionsPerMinute: inAll } = config.limits;
  const names = { user: 'connections_per_minute', all: 'all_connections_per_minute' };
  const onRefusal = (by: 'user' | 'all', user_id: string) => refusals.note(names[by], { user_id });
  return new MinuteLimit({ what: 'connections', perUser, inAll, onRefusal }, clock);
}

export function createArtifactPlaces({ config, clock }: Deps, refusals: Refusals): ArtifactPlaces {
  const { atOnce } = ARTIFACT_LIMITS;
  const perUser = config.auth.kind === 'none' ? atOnce : ARTIFACT_LIMITS.perUser;
  return new ArtifactPlaces({ ...ARTIFACT_LIMITS, perUser }, refusals, clock);
}

export function createUnreadBytes({ auth }: GatewayDeps['config'], refusals: Refusals): UnreadBytes {
  const { perUser, inAll } = UNREAD_LIMITS;
  return new UnreadBytes({ perUser: auth.kind === 'none' ? inAll : perUser, inAll }, refusals);
}

export function createUnknownSockets(
  { config, metrics, clock }: Pick<GatewayDeps, 'config' | 'metrics' | 'clock'>,
  refusals: Refusals,
): UnknownSockets {
  const { unknownSockets: places, unknownSocketsPerAddress } = config.limits;
  const perAddress = config.auth.kind === 'none' ? places : unknownSocketsPerAddress;
  return new UnknownSockets({
    limits: { places, perAddress },
    refusals,
    clock,
    count: (size) => metrics.unknownSockets.set(size),
  });
}

export function createTurnAdmission(
  { config, bus, clock }: Pick<GatewayDeps, 'config' | 'bus' | 'clock'>,
  refusals: Refusals,
  counts: SharedCounts,
): TurnAdmission {
  const fairShare = config.auth.kind === 'none' ? 1 : config.fairShare;
  const note = (limit: TurnLimit, user_id: string) => refusals.note(limit, { user_id });
  const admission = new TurnAdmission(bus, { ...config.limits, fairShare }, note, clock);
  admission.shareWith(counts);
  return admission;
}
