import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { providePage, startBrowser } from './page-and-browser.js';
import { startService, type HostedService, type RunningService, type ServicePlans } from './services.js';

/**
 * Lives in jest's main process and starts what files share when the first of them asks for it
 * (`GET /rabbitmq`, `GET /browser`, …), so that a run which needs none pays nothing.
 */
export class ServiceHost {
  private readonly started = new Map<HostedService, Promise<RunningService>>();
  private readonly server: Server;

  /** `builtPage`: the folder of a page that was built from the present sources, if there is one. */
  constructor(
    readonly plans: ServicePlans,
    private readonly builtPage?: string,
  ) {
    this.server = createServer((request, response) => void this.answer(request.url ?? '', response));
    // A forgotten host must not keep a finished run alive.
    this.server.unref();
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    const services = await Promise.allSettled(this.started.values());
    await Promise.all(services.map((service) => service.status === 'fulfilled' && service.value.stop()));
  }

  private async answer(path: string, response: ServerResponse): Promise<void> {
    // Else the next file of a worker may ask on a connection that is just being closed for idleness.
    response.setHeader('Connection', 'close');
    try {
      const { url, managementUrl } = await this.start(path.slice(1) as HostedService);
      response.end(JSON.stringify({ url, managementUrl }));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  private start(name: HostedService): Promise<RunningService> {
    const running = this.started.get(name) ?? this.launch(name);
    this.started.set(name, running);
    return running;
  }

  private launch(name: HostedService): Promise<RunningService> {
    if (name === 'browser') return startBrowser();
    if (name === 'page') return providePage(this.builtPage);
    return startService(name, this.plans[name]);
  }
}
