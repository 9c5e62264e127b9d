import { afterAll, expect, it } from '@jest/globals';
import { OtlpReceiver } from '../fakes/otlp-receiver.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { removeFolders, startStandalone } from './standalone-process.js';
import { CLIENT_SPAN, tracedPost } from './traced-client.js';
import { Viewer } from './viewer.js';

const TIMEOUT_MS = 60_000;

afterAll(removeFolders);

function linesOf({ log }: SwitchyardProcess): Record<string, unknown>[] {
  const lines = log.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function submit({ url }: SwitchyardProcess, content: string): Promise<string> {
  const viewer = await Viewer.connect(url);
  const post = tracedPost(url);
  const { id } = await post('/api/conversations', {});
  await viewer.join(id!);
  const { turn_id } = await post(`/api/conversations/${id}/turns`, { content });
  expect(await viewer.ended(id!, turn_id!)).toMatchObject({ status: 'completed' });
  viewer.close();
  return turn_id!;
}

it(
  'a process that is told to end sends the spans that it has not sent',
  async () => {
    const receiver = await OtlpReceiver.start();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '600000' };
    const standalone = await startStandalone(env);
    await submit(standalone, 'what is 2 + 3?');
    expect(receiver.spans).toEqual([]);
    expect(await standalone.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await receiver.close();
    expect(receiver.spans.map(({ name }) => name).sort()).toEqual([
      'accept message',
      'chat demo',
      'chat demo',
      'drive turn',
      'execute_tool math.add',
      'send tools.math',
      'step',
      'step',
    ]);
    expect(new Set(receiver.spans.map(({ traceId, service }) => `${traceId} ${String(service)}`))).toEqual(
      new Set([`${CLIENT_SPAN.traceId} switchyard-standalone`]),
    );
  },
  TIMEOUT_MS,
);

it(
  'a collector that cannot be reached costs a warning and nothing else',
  async () => {
    const receiver = await OtlpReceiver.start();
    const { url } = receiver;
    await receiver.close();
    const hurried = { OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_BSP_SCHEDULE_DELAY: '50' };
    const standalone = await startStandalone({ ...hurried, OTEL_EXPORTER_OTLP_ENDPOINT: url });
    await submit(standalone, 'what is 2 + 3?');
    await waitFor(() => linesOf(standalone).length > 0, { what: 'a warning' });
    await submit(standalone, 'what is 2 + 3?');
    expect(await standalone.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    const [refused] = linesOf(standalone);
    expect(refused).toMatchObject({ level: 'warn', msg: 'tracing problem' });
    expect(refused!.reason).toMatch(/^connect ECONNREFUSED [\d.:]+$/);
    expect(linesOf(standalone).filter(({ reason }) => reason === refused!.reason)).toHaveLength(1);
  },
  TIMEOUT_MS,
);

it(
  'SIGUSR2 switches the log to debug and back, and without a collector no line has a trace',
  async () => {
    const standalone = await startStandalone({ LOG_LEVEL: 'warn' });
    const levels = () =>
      linesOf(standalone)
        .filter(({ audit }) => audit === 'log_level_changed')
        .map(({ to }) => to);
    const toggle = async () => {
      const before = levels().length;
      process.kill(standalone.pid, 'SIGUSR2');
      await waitFor(() => levels().length > before, { what: 'the record of the change' });
    };
    const accepted = () => linesOf(standalone).filter(({ msg }) => msg === 'message accepted');
    await submit(standalone, 'hello');
    expect(accepted()).toEqual([]);
    await toggle();
    const turnId = await submit(standalone, 'hello');
    expect(accepted()).toMatchObject([{ turn_id: turnId }]);
    expect(accepted()[0]).not.toHaveProperty('trace_id');
    expect(linesOf(standalone).some(({ level }) => level === 'debug')).toBe(true);
    await toggle();
    expect(levels()).toEqual(['debug', 'warn']);
    await submit(standalone, 'hello');
    expect(accepted()).toHaveLength(1);
    expect(await standalone.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  },
  TIMEOUT_MS,
);
