import type { WireStep } from './amqp-tap.js';

const START = Date.parse('2026-01-02T03:04:05.000Z');
const STEP_MS = 1_000;
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Ids in a text: what comes before one stays, and the id becomes a number of its kind. */
const IDS: [kind: string, pattern: RegExp][] = [
  ['worker', new RegExp(`(worker[-.]house(?:--|\\.))(${UUID})`, 'g')],
  ['orchestrator', new RegExp(`(orchestrator[-.])(${UUID})`, 'g')],
  ['connection', /(\.control\.)([0-9a-f]{8})/g],
  ['turn', /(turn_)([\w-]{22})/g],
  ['conversation', /(conv_)([\w-]{22})/g],
  ['artifact', /(art_)([0-9a-f]{32})/g],
];

/** The same steps with short ids, with times a second apart, and without what depends on the machine. */
export function readableSteps(steps: readonly WireStep[]): WireStep[] {
  const names = new Names();
  return steps.map((step, index) => {
    const at = (step.message?.content as { at: string } | undefined)?.at ?? '';
    const now = { ms: START + index * STEP_MS, realMs: Date.parse(at) };
    return names.replace(step, now) as WireStep;
  });
}

/** When a step happened, and when the transcript says that it did. */
interface Now {
  ms: number;
  realMs: number;
}

class Names {
  private readonly numbers = new Map<string, Map<string, number>>();

  replace(value: unknown, now: Now, key = ''): unknown {
    if (Array.isArray(value)) return value.map((each) => this.replace(each, now, key));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, this.replace(each, now, name)]),
      );
    if (key === 'now') return now.ms;
    if (key === 'duration_ms') return 100;
    return typeof value === 'string' ? this.replaceText(value, now, key) : value;
  }

  private replaceText(text: string, { ms, realMs }: Now, key: string): string {
    if (key === 'at' || key === 'started_at') return new Date(ms).toISOString();
    if (key === 'deadline' || key === 'expires_at') {
      const seconds = Math.round((Date.parse(text) - realMs) / 1_000);
      return new Date(ms + seconds * 1_000).toISOString();
    }
    if (key === 'host') return 'host-1';
    if (key === 'token') return String(this.numberOf('token', text)).padStart(64, '0');
    if (key === 'request_id' || key === 'nonce') return `request-${this.numberOf('request', text)}`;
    if (key === 'id' || key === 'messageId') return this.replaceIds(text, 'message');
    return this.replaceIds(text);
  }

  private replaceIds(text: string, ofUuids?: string): string {
    const named = IDS.reduce(
      (left, [kind, pattern]) =>
        left.replace(pattern, (_whole, before: string, id: string) => before + this.numberOf(kind, id)),
      text,
    ).replace(
      /call_(\w{22})/g,
      (_whole, id: string) => `call_${String(this.numberOf('call', id)).padStart(22, '0')}`,
    );
    return ofUuids === undefined
      ? named
      : named.replace(new RegExp(`^${UUID}$`), (id) => `${ofUuids}-${this.numberOf(ofUuids, id)}`);
  }

  /** From 1, in the order of their first appearance. */
  private numberOf(kind: string, id: string): number {
    const known = this.numbers.get(kind) ?? new Map<string, number>();
    this.numbers.set(kind, known);
    known.set(id, known.get(id) ?? known.size + 1);
    return known.get(id)!;
  }
}
