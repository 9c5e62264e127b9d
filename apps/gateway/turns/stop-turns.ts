import { stopTurn, type Ports } from '#journal';
import { notFound } from '../errors/request-error.js';
import type { DriverRequests } from './driver-requests.js';

/** Stop, as the gateway does it itself: with or without an orchestrator that answers. */
export class StopTurns {
  private readonly stopping = new Map<string, Promise<string[]>>();

  constructor(
    private readonly ports: Ports,
    private readonly drivers: Pick<DriverRequests, 'stop'>,
  ) {}

  /**
   * The calls that may still be running. The caller has checked the owner of the turn. Callers that ask while the turn
   * is being stopped get the same answer: each interrupting message of a burst stops all the ones before it.
   */
  stop(turnId: string): Promise<string[]> {
    const underWay = this.stopping.get(turnId);
    if (underWay) return underWay;
    const stopping = this.stopNow(turnId).finally(() => this.stopping.delete(turnId));
    this.stopping.set(turnId, stopping);
    return stopping;
  }

  private async stopNow(turnId: string): Promise<string[]> {
    const stopped = await stopTurn(this.ports, turnId, (id, driver) => this.drivers.stop(id, driver));
    if (!stopped) throw notFound();
    return stopped.mayBeRunning;
  }
}
