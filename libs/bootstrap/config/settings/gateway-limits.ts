import { z } from 'zod';
import { positive } from './positive.js';

export const gatewayLimitsSchema = z
  .strictObject({
    connections_per_minute: positive(1_000_000).default(60),
    messages_per_minute: positive(1_000_000).default(600),
    turns_at_once: positive(1_000_000).default(40),
    all_connections_per_minute: positive(10_000_000).default(6_000),
    sockets: positive(1_000_000).default(10_000),
    sockets_per_user: positive(1_000_000).default(200),
    unknown_sockets: positive(1_000_000).optional(),
    unknown_sockets_per_address: positive(1_000_000).default(20),
    streams_per_user: positive(1_000_000).default(100),
    bytes_per_minute: positive(100_000_000_000).default(67_108_864),
    joined_per_socket: positive(100_000).default(200),
    requests_per_socket: positive(10_000).default(64),
    http_requests: positive(1_000_000).default(1_000),
    http_requests_per_user: positive(1_000_000).default(100),
    unknown_requests: positive(1_000_000).default(200),
    unknown_requests_per_address: positive(1_000_000).default(20),
    idle_connections: positive(1_000_000).default(5_000),
    idle_connections_per_address: positive(1_000_000).default(500),
    body_bytes: positive(100_000_000_000).default(268_435_456),
    body_bytes_per_user: positive(100_000_000_000).default(104_857_600),
    large_bodies_per_user: positive(1_000).default(2),
    waiting_turns: positive(100_000).default(50_000),
    wrong_passwords_per_minute: positive(1_000_000).default(10),
    wrong_passwords_per_address: positive(1_000_000).default(100),
    registrations_per_address: positive(1_000_000).default(100),
  })
  .prefault({});

/** The limits of a gateway; anything beyond them is refused as `overloaded`. */
export interface GatewayLimits {
  /** Connections opened by one user. */
  connectionsPerMinute: number;
  /** Messages sent by one user. */
  messagesPerMinute: number;
  /** Turns of one user, in the whole installation. */
  turnsAtOnce: number;
  allConnectionsPerMinute: number;
  sockets: number;
  /** Sockets that one user has open at once. Without accounts everyone is one user, and the limit does not apply. */
  socketsPerUser: number;
  /** Connections whose users are not yet known, in addition to `sockets`. Default: 5 % of those, at least 100. */
  unknownSockets: number;
  /** Such connections of one address; applies while more than half of `unknownSockets` are taken. */
  unknownSocketsPerAddress: number;
  /**
   * Parallel HTTP requests of one user that are answered by a stream, or when a turn has ended; exempt as with sockets.
   */
  streamsPerUser: number;
  /** Bytes received from one user over sockets. */
  bytesPerMinute: number;
  joinedPerSocket: number;
  /** Requests that have no answer yet. */
  requestsPerSocket: number;
  /** HTTP requests of known users that are not completely answered. */
  httpRequests: number;
  /**
   * The part of these for one user, without the user's streams. Without accounts everyone is one user, and the limit
   * does not apply.
   */
  httpRequestsPerUser: number;
  /**
   * For clients without a token: requests that are not completely answered, and as many whose bodies are still
   * arriving.
   */
  unknownRequests: number;
  /** The part of these for one address; applies while more than half of `unknownRequests` are taken. */
  unknownRequestsPerAddress: number;
  /** Connections without a request in progress. */
  idleConnections: number;
  /** The part of these for one address; applies while more than half of `idleConnections` are open. */
  idleConnectionsPerAddress: number;
  /** Bytes in HTTP requests that are being received or read; three quarters of it for requests of more than 1 MiB. */
  bodyBytes: number;
  /** Bytes of one user in bodies of more than 1 MiB. */
  bodyBytesPerUser: number;
  /** Bodies of more than 1 MiB that are received or read in parallel. */
  largeBodiesPerUser: number;
  /** Hints that wait for an orchestrator, in the whole installation. */
  waitingTurns: number;
  /** Wrong passwords for one account. */
  wrongPasswordsPerMinute: number;
  /** From one address, within a minute. */
  wrongPasswordsPerAddress: number;
  /** From one address, within a minute. */
  registrationsPerAddress: number;
}

export function toGatewayLimits(limits: z.output<typeof gatewayLimitsSchema>): GatewayLimits {
  return {
    connectionsPerMinute: limits.connections_per_minute,
    messagesPerMinute: limits.messages_per_minute,
    turnsAtOnce: limits.turns_at_once,
    allConnectionsPerMinute: limits.all_connections_per_minute,
    sockets: limits.sockets,
    socketsPerUser: limits.sockets_per_user,
    unknownSockets: limits.unknown_sockets ?? Math.max(100, Math.ceil(limits.sockets * 0.05)),
    unknownSocketsPerAddress: limits.unknown_sockets_per_address,
    streamsPerUser: limits.streams_per_user,
    bytesPerMinute: limits.bytes_per_minute,
    joinedPerSocket: limits.joined_per_socket,
    requestsPerSocket: limits.requests_per_socket,
    httpRequests: limits.http_requests,
    httpRequestsPerUser: limits.http_requests_per_user,
    unknownRequests: limits.unknown_requests,
    unknownRequestsPerAddress: limits.unknown_requests_per_address,
    idleConnections: limits.idle_connections,
    idleConnectionsPerAddress: limits.idle_connections_per_address,
    bodyBytes: limits.body_bytes,
    bodyBytesPerUser: limits.body_bytes_per_user,
    largeBodiesPerUser: limits.large_bodies_per_user,
    waitingTurns: limits.waiting_turns,
    wrongPasswordsPerMinute: limits.wrong_passwords_per_minute,
    wrongPasswordsPerAddress: limits.wrong_passwords_per_address,
    registrationsPerAddress: limits.registrations_per_address,
  };
}
