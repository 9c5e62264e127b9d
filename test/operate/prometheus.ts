import { join } from 'node:path';
import { Child } from '../services/child.js';
import { findFreePort } from '../services/free-port.js';
import { PROMETHEUS } from '../services/prometheus-programs.js';
import { writeHastenedConfig } from './hasten.js';

const START_MS = 30_000;
const STOP_MS = 5_000;
const REQUEST_MS = 10_000;

export interface ActiveAlert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: 'pending' | 'firing';
}

export interface Series {
  metric: Record<string, string>;
  value?: [number, string];
  values?: [number, string][];
}

/** A real Prometheus with the shipped configuration, hastened. */
export class Prometheus {
  private constructor(
    private readonly child: Child,
    private readonly url: string,
  ) {}

  /** @param targetsOf path of the file with the targets of a job */
  static async start(folder: string, targetsOf: (job: string) => string): Promise<Prometheus> {
    const config = await writeHastenedConfig(folder, targetsOf);
    const address = `127.0.0.1:${await findFreePort()}`;
    const child = new Child(
      'prometheus',
      PROMETHEUS,
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=warn',
      ],
      { env: {}, cwd: folder },
    );
    const prometheus = new Prometheus(child, `http://${address}`);
    const isReady = async () => (await fetch(`${prometheus.url}/-/ready`)).ok;
    await child.becomeReady(isReady, START_MS);
    return prometheus;
  }

  async query(expr: string): Promise<Series[]> {
    return (await this.ask<{ result: Series[] }>('query', { query: expr })).result;
  }

  /** One value a second, from then until now. */
  async queryRange(expr: string, sinceMs: number): Promise<Series[]> {
    const [start, end] = [sinceMs / 1_000, Date.now() / 1_000].map(String) as [string, string];
    return (await this.ask<{ result: Series[] }>('query_range', { query: expr, start, end, step: '1' }))
      .result;
  }

  async alerts(): Promise<ActiveAlert[]> {
    return (await this.ask<{ alerts: ActiveAlert[] }>('alerts')).alerts;
  }

  /** Jobs of targets that answer. */
  async jobsThatAnswer(): Promise<string[]> {
    const { activeTargets } = await this.ask<{ activeTargets: Target[] }>('targets');
    return activeTargets.filter(({ health }) => health === 'up').map(({ labels }) => labels.job!);
  }

  async stop(): Promise<void> {
    await this.child.terminate(STOP_MS);
  }

  private async ask<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`, {
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const answer = (await response.json()) as { data: T; error?: string };
    if (answer.error !== undefined) throw new Error(`${parameters.query ?? path}: ${answer.error}`);
    return answer.data;
  }
}

interface Target {
  health: string;
  labels: Record<string, string>;
}
