import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { bearerToken, type User } from '../../people/auth/user.js';
import { statusOf } from '../../errors/problem.js';
import { RequestError } from '../../errors/request-error.js';
import { toRequestError } from '../../errors/to-request-error.js';
import { judgeRequest } from '../../door/http/judge-request.js';
import { originOf } from '../../door/http/origin-rules.js';
import type { DialectHost } from '../host/dialect.js';
import { refuseUpgrade } from '../../door/sockets/refuse-upgrade.js';
import type { TakeUpgrade } from '../../door/sockets/serve-upgrades.adapter.js';
import type { GenesisSockets } from './genesis-sockets.js';
import { SocketServer } from './socket.adapter.js';

/**
 * The handshake of `/ws/chat`. Unauthorized clients are refused before it, because a connection that opens makes the
 * frontend retry for ever.
 */
export function createUpgrade(
  gateway: Pick<
    DialectHost,
    'admission' | 'userTraffic' | 'unknownSockets' | 'addressOf' | 'refusals' | 'time' | 'originRules'
  >,
  sockets: GenesisSockets,
): TakeUpgrade {
  const { admission, userTraffic, unknownSockets, addressOf, originRules } = gateway;
  const server = new SocketServer(sockets, gateway.refusals, gateway.time.clock);
  const enter = async (request: IncomingMessage, socket: Duplex): Promise<User> => {
    const check = () => admission.admitToken(tokenOf(request));
    const user = await unknownSockets.whileChecked(addressOf(request), check);
    if (!socket.writable) throw new RequestError('unavailable', 'The connection is closed.');
    socket.once('close', userTraffic.enter(user.id));
    return user;
  };
  return (request, socket, head) => {
    const reason = judgeRequest(originOf(request), originRules);
    if (reason !== undefined) return refuseUpgrade(socket, 403, reason);
    enter(request, socket).then(
      (user) => server.accept(request, socket, head, user),
      (reason: unknown) => {
        const error = toRequestError(reason);
        const status = error.code === 'unauthorized' ? 403 : statusOf(error);
        refuseUpgrade(socket, status, error.message, error.retryAfterMs);
      },
    );
  };
}

/**
 * The parameter comes first, unlike in `handshakeToken`: by section 1 of the contract `?token=` is how this
 * front end says who it is, so a header that something on the way adds does not take its place.
 */
function tokenOf({ url = '', headers }: IncomingMessage): string | undefined {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  return query.get('token') ?? bearerToken(headers.authorization);
}
