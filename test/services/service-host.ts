import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startService, type RunningService, type ServicePlans, type SharedService } from './services.js';

/**
 * Lives in jest's main process and starts a shared service when the first test file asks for it
 * (`GET /rabbitmq`, `GET /mongo`), so that a run which needs none pays nothing.
 */
export class ServiceHost {
  readonly #started = new Map<SharedService, Promise<RunningService>>();
  readonly #server: Server;

  constructor(readonly plans: ServicePlans) {
    this.#server = createServer((request, response) => void this.#answer(request.url ?? '', response));
    // A forgotten host must not keep a finished run alive.
    this.#server.unref();
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    const services = await Promise.allSettled(this.#started.values());
    await Promise.all(services.map((service) => service.status === 'fulfilled' && service.value.stop()));
  }

  async #answer(path: string, response: ServerResponse): Promise<void> {
    // Else the next file of a worker may ask on a connection that is just being closed for idleness.
    response.setHeader('Connection', 'close');
    try {
      const { url, managementUrl } = await this.#start(path.slice(1) as SharedService);
      response.end(JSON.stringify({ url, managementUrl }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  #start(name: SharedService): Promise<RunningService> {
    const running = this.#started.get(name) ?? startService(name, this.plans[name]);
    this.#started.set(name, running);
    return running;
  }
}
