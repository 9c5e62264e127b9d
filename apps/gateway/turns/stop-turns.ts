import { stopTurn, type Ports } from '#journal';
import type { DriverRequests } from '../control/driver-requests.js';
import { notFound } from '../errors/request-error.js';

/** Stop, as the gateway does it itself: with or without an orchestrator that answers. */
export class StopTurns {
  constructor(
    private readonly ports: Ports,
    private readonly drivers: Pick<DriverRequests, 'stop'>,
  ) {}

  /** The calls that may still be running. The caller has checked whose turn it is. */
  async stop(turnId: string): Promise<string[]> {
    const stopped = await stopTurn(this.ports, turnId, (id, driver) => this.drivers.stop(id, driver));
    if (!stopped) throw notFound();
    return stopped.mayBeRunning;
  }
}
