import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { SwitchyardProcess } from '../services/processes.js';
import { inTime, waitFor } from '../services/wait-for.js';
import type { Viewer } from '../e2e/viewer.js';
import type { Sent } from './workload.js';

/** Whatever is away, a person is answered within this. */
const ANSWERED_MS = 8_000;

/** What `GET /health/<name>` says. */
async function statusOf({ url }: SwitchyardProcess, name: 'live' | 'ready'): Promise<number> {
  const response = await fetch(`${url}/health/${name}`, { signal: AbortSignal.timeout(5_000) });
  await response.arrayBuffer();
  return response.status;
}

/** Each says so within the time, and is alive all along. */
export async function expectReady(
  processes: readonly SwitchyardProcess[],
  isReady: boolean,
  timeoutMs = 15_000,
): Promise<void> {
  const wanted = isReady ? 200 : 503;
  const ask = async (): Promise<boolean> => {
    expect(await Promise.all(processes.map((process) => statusOf(process, 'live')))).toEqual(
      processes.map(() => 200),
    );
    const statuses = await Promise.all(processes.map((process) => statusOf(process, 'ready')));
    return statuses.every((status) => status === wanted);
  };
  await waitFor(ask, { what: `/health/ready being ${wanted}`, timeoutMs, intervalMs: 200 });
}

/** Every gateway offers these toolsets; as the workers tell orchestrators first, these do so too. */
export async function expectOffered(
  gateways: readonly SwitchyardProcess[],
  toolsets: readonly string[],
): Promise<void> {
  const isOfferedBy = async ({ url }: SwitchyardProcess): Promise<boolean> => {
    const list = await (await fetch(`${url}/api/tools`)).text();
    return toolsets.every((toolset) => list.includes(`${toolset}.hold`));
  };
  const ask = async () => (await Promise.all(gateways.map(isOfferedBy))).every(Boolean);
  await waitFor(ask, { what: `${toolsets.join(', ')} being offered`, timeoutMs: 30_000, intervalMs: 200 });
}

/** A message that a person sends during a fault: it is answered in bounded time, and resent until it is accepted. */
export class Attempted {
  private readonly message = { content: 'what is 17 + 25?', client_message_id: randomUUID() };

  constructor(private readonly viewer: Viewer) {}

  /** Accepted: it must end. */
  async expectAccepted(): Promise<Sent> {
    const answer = await this.send();
    expect(answer).not.toHaveProperty('error');
    return answer as unknown as Sent;
  }

  /** Refused, in words for a person, and with when to try again. */
  async expectRefused(): Promise<void> {
    expect(await this.send()).toEqual({
      error: {
        code: 'unavailable',
        message: 'The store cannot be reached. Try again.',
        retry_after_ms: expect.any(Number),
      },
    });
  }

  /** What a client does with a retryable error. */
  async sendUntilAccepted(timeoutMs = 30_000): Promise<Sent> {
    const answer = await waitFor(
      async () => {
        const latest = await this.send();
        return 'error' in latest ? undefined : latest;
      },
      { what: 'the message being accepted', timeoutMs, intervalMs: 500 },
    );
    return answer as unknown as Sent;
  }

  private async send(): Promise<Record<string, unknown>> {
    return inTime(this.viewer.request('message', this.message), {
      what: 'an answer to the message',
      timeoutMs: ANSWERED_MS,
    });
  }
}
