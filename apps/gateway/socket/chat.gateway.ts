import { Inject } from '@nestjs/common';
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
import { Admission } from './admission.js';
import { SocketRequests } from './socket-requests.js';
import { SocketSessions } from './socket-sessions.js';

/** The client protocol's events (architecture §8); what they do is in `SocketRequests`. */
@WebSocketGateway()
export class ChatGateway
  implements OnGatewayInit<Server>, OnGatewayConnection<Socket>, OnGatewayDisconnect<Socket>
{
  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(SocketSessions) private readonly sessions: SocketSessions,
    @Inject(SocketRequests) private readonly requests: SocketRequests,
  ) {}

  afterInit(server: Server): void {
    this.sessions.serve(server);
    server.use((socket, next) => this.admission.admit(socket, next));
  }

  handleConnection(socket: Socket): void {
    this.sessions.begin(socket);
    this.requests.refuseUnknown(socket);
  }

  handleDisconnect(socket: Socket): void {
    this.sessions.end(socket);
  }

  @SubscribeMessage('message')
  message(
    @ConnectedSocket() socket: Socket,
    @MessageBody() body: unknown,
    @Ack() ack: unknown,
  ): Promise<void> {
    return this.requests.handle('message', socket, body, ack);
  }

  @SubscribeMessage('join')
  join(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.requests.handle('join', socket, body, ack);
  }

  @SubscribeMessage('leave')
  leave(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.requests.handle('leave', socket, body, ack);
  }

  @SubscribeMessage('stop')
  stop(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.requests.handle('stop', socket, body, ack);
  }

  @SubscribeMessage('tool_approval')
  approve(
    @ConnectedSocket() socket: Socket,
    @MessageBody() body: unknown,
    @Ack() ack: unknown,
  ): Promise<void> {
    return this.requests.handle('tool_approval', socket, body, ack);
  }

  @SubscribeMessage('input')
  input(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.requests.handle('input', socket, body, ack);
  }

  @SubscribeMessage('ping')
  ping(@ConnectedSocket() socket: Socket, @MessageBody() body: unknown, @Ack() ack: unknown): Promise<void> {
    return this.requests.handle('ping', socket, body, ack);
  }
}
