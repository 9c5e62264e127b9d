import {
  Ack,
  ConnectedSocket,
  MessageBody,
  SubscribeMessage,
  WebSocketGateway,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  type OnGatewayInit,
} from '@nestjs/websockets';
import type { Server, Socket } from 'socket.io';
import { Admission } from '../door/sockets/admission.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { SocketRequests } from './socket-requests.js';
import { SocketSessions } from './socket-sessions.js';

/** The events of the client protocol (docs/protocol.md); what they do is in `SocketRequests`. */
@WebSocketGateway()
export class ChatGateway
  implements OnGatewayInit<Server>, OnGatewayConnection<Socket>, OnGatewayDisconnect<Socket>
{
  constructor(
    @FromGateway()
    private readonly gateway: {
      admission: Admission;
      sessions: SocketSessions;
      socketRequests: SocketRequests;
    },
  ) {}

  afterInit(server: Server): void {
    this.gateway.sessions.serve(server);
    server.use((socket, next) => this.gateway.admission.admit(socket, next));
  }

  handleConnection(socket: Socket): void {
    this.gateway.sessions.begin(socket);
    this.gateway.socketRequests.refuseUnknown(socket);
  }

  handleDisconnect(socket: Socket): void {
    this.gateway.sessions.end(socket);
  }

  @SubscribeMessage('message')
  message(
    @ConnectedSocket() socket: Socket,
    @MessageBody() body: unknown,
    @Ack() ack: unknown,
  ): Promise<void> {
    return this.gateway.socketRequests.handle('message', socket, body, ack);
  }

  @SubscribeMessage('join')
  join(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.gateway.socketRequests.handle('join', socket, body, ack);
  }

  @SubscribeMessage('leave')
  leave(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.gateway.socketRequests.handle('leave', socket, body, ack);
  }

  @SubscribeMessage('stop')
  stop(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.gateway.socketRequests.handle('stop', socket, body, ack);
  }

  @SubscribeMessage('tool_approval')
  approve(
    @ConnectedSocket() socket: Socket,
    @MessageBody() body: unknown,
    @Ack() ack: unknown,
  ): Promise<void> {
    return this.gateway.socketRequests.handle('tool_approval', socket, body, ack);
  }

  @SubscribeMessage('input')
  input(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.gateway.socketRequests.handle('input', socket, body, ack);
  }

  @SubscribeMessage('ping')
  ping(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.gateway.socketRequests.handle('ping', socket, body, ack);
  }
}
