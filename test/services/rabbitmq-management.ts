export interface QueueState {
  name: string;
  type: string;
  durable: boolean;
  messages?: number;
  messages_ready?: number;
  messages_unacknowledged?: number;
  consumers?: number;
  arguments: Record<string, unknown>;
}

export interface ConnectionState {
  name: string;
  vhost: string;
  user: string;
  client_properties?: Record<string, unknown>;
}

/** RabbitMQ's management API; counts in its answers lag behind by up to `collect_statistics_interval`. */
export class RabbitmqManagement {
  private readonly base: string;
  private readonly authorization: string;
  private readonly user: string;

  /** @param url with the credentials of an administrator: `http://guest:guest@127.0.0.1:15672` */
  constructor(readonly url: string) {
    const { origin, username, password } = new URL(url);
    this.user = decodeURIComponent(username || 'guest');
    const secret = `${this.user}:${decodeURIComponent(password || 'guest')}`;
    this.authorization = `Basic ${Buffer.from(secret).toString('base64')}`;
    this.base = origin;
  }

  async createVhost(vhost: string): Promise<void> {
    await this.request('PUT', `/api/vhosts/${encodeURIComponent(vhost)}`, {});
    const everything = { configure: '.*', write: '.*', read: '.*' };
    await this.request('PUT', `/api/permissions/${encodeURIComponent(vhost)}/${this.user}`, everything);
  }

  async deleteVhost(vhost: string): Promise<void> {
    await this.request('DELETE', `/api/vhosts/${encodeURIComponent(vhost)}`);
  }

  async listVhosts(): Promise<string[]> {
    return ((await this.request('GET', '/api/vhosts')) as { name: string }[]).map(({ name }) => name);
  }

  async listQueues(vhost: string): Promise<QueueState[]> {
    return (await this.request('GET', `/api/queues/${encodeURIComponent(vhost)}`)) as QueueState[];
  }

  async listConnections(vhost: string): Promise<ConnectionState[]> {
    const path = `/api/vhosts/${encodeURIComponent(vhost)}/connections`;
    return (await this.request('GET', path)) as ConnectionState[];
  }

  /** Closes what the broker lists now, from its side (320 CONNECTION_FORCED), and returns how many. */
  async closeConnections(vhost: string): Promise<number> {
    const connections = await this.listConnections(vhost);
    const close = ({ name }: ConnectionState) =>
      this.request('DELETE', `/api/connections/${encodeURIComponent(name)}`);
    await Promise.all(connections.map(close));
    return connections.length;
  }

  async purgeQueue(vhost: string, queue: string): Promise<void> {
    await this.request('DELETE', `${queuePath(vhost, queue)}/contents`);
  }

  async deleteQueue(vhost: string, queue: string): Promise<void> {
    await this.request('DELETE', queuePath(vhost, queue));
  }

  async request(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(this.base + path, {
      method,
      headers: { authorization: this.authorization, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const isGone = method === 'DELETE' && response.status === 404;
    if (!response.ok && !isGone) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text && response.ok ? (JSON.parse(text) as unknown) : undefined;
  }
}

function queuePath(vhost: string, queue: string): string {
  return `/api/queues/${encodeURIComponent(vhost)}/${encodeURIComponent(queue)}`;
}
