import type { Body } from '#contracts';
import type { Ports } from '#journal';
import type { Logger, Refusals } from '#observability';
import type { Store } from '#store';
import type { Time } from '#time';
import type { Artifacts } from '../../artifacts/artifacts.js';
import type { User } from '../../people/auth/user.js';
import type { Bodies } from '../../door/bodies/bodies.js';
import type { OfferedModels } from '../../catalogue/offered-models.js';
import type { OfferedTools } from '../../catalogue/offered-tools.js';
import type { Ownership } from '../../turns/ownership.js';
import type { Routes } from '../../http/routes.js';
import type { AddressOf } from '../../limits/client-address.js';
import type { OriginRules } from '../../door/http/judge-request.js';
import type { Admission } from '../../door/sockets/admission.js';
import type { TakeUpgrade } from '../../door/sockets/serve-upgrades.adapter.js';
import type { UnknownSockets } from '../../door/sockets/unknown-sockets.js';
import type { UserTraffic } from '../../door/sockets/user-traffic.js';
import type { AnswerCalls } from '../../turns/answer-calls.js';
import type { TurnAdmission } from '../../turns/turn-admission.js';
import type { TurnReader } from '../../turns/turn-reader.js';
import type { DialectWire } from '../../door/refusals/dialect-wire.js';
import type { DialectTurns } from './dialect-turns.js';

/** The members of a gateway that its dialects may use. */
export interface DialectHost {
  ports: Ports;
  store: Store;
  log: Logger;
  time: Time;
  refusals: Refusals;
  ownership: Ownership;
  offeredTools: OfferedTools;
  offeredModels: OfferedModels;
  artifacts: Artifacts;
  bodies: Bodies;
  dialectTurns: DialectTurns;
  turnReader: TurnReader;
  turnAdmission: TurnAdmission;
  answerCalls: AnswerCalls;
  /** For its own sockets. */
  originRules: OriginRules;
  addressOf: AddressOf;
  admission: Admission;
  unknownSockets: UnknownSockets;
  userTraffic: UserTraffic;
  /** Of one socket. */
  maxRequestsInFlight: number;
  /** Call this when the number of its sockets changes. */
  countSockets(): void;
  /** Whether a previously admitted user is still allowed. */
  isActive(user: User): Promise<boolean>;
}

/** Control messages between the same dialect of two gateways. */
interface DialectControl {
  'socket.probe': (body: Body<'socket.probe'>) => void;
}

/** A dialect that one gateway serves. */
export interface OpenDialect {
  routes: Routes;
  /** Takes over handshakes at exactly this path. */
  upgrade?: { path: string; take: TakeUpgrade };
  control?: DialectControl;
  /** Sockets that are open. */
  sockets?(): number;
  /** Ends its sockets once current messages are answered, or after `graceMs`. */
  drain?(graceMs: number): Promise<void>;
}

/** Another kind of client, served besides the client protocol. */
export interface Dialect extends DialectWire {
  open(gateway: DialectHost): OpenDialect;
}
