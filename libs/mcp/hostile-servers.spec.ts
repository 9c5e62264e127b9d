import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { createMetrics } from '#observability';
import { toBusName, toModelName } from '#tools';
import { limitTime, SystemClock, systemTime } from '#time';
import type { McpToolset } from './mcp-toolset.js';
import {
  createToolset,
  recordingLogger,
  stdioServer,
  stopToolsets,
  testServerScript,
  toolContext,
  toolOf,
  untilChanged,
} from './testing/fixture.js';

const logger = recordingLogger();
let good: McpToolset;
let hostile: McpToolset;

const hostileServer = (env: Record<string, string> = {}) =>
  stdioServer('hostile', [testServerScript('hostile')], { env });
const callGood = async () => plainText(await toolOf(good, 'get-weather').run({ city: 'Ulm' }, toolContext()));
const names = (toolset: McpToolset) => toolset.tools().map(({ definition }) => definition.own_name);
const isBack = () => untilChanged(hostile, () => hostile.tools().length > 0);

beforeAll(async () => {
  good = createToolset(stdioServer('scripted', [testServerScript('scripted')]));
  hostile = createToolset(hostileServer(), {}, logger);
  await Promise.all([good.start(), hostile.start()]);
});
afterAll(stopToolsets);

describe('a hostile server', () => {
  it('loses tools with a duplicate name or a bloated schema; similar names stay distinct', () => {
    expect(names(hostile)).toEqual(expect.arrayContaining(['same', 'Same', 'same!', 'listings']));
    expect(names(hostile).filter((name) => name === 'same')).toHaveLength(1);
    expect(names(hostile)).not.toContain('bloated');
    const busNames = names(hostile).map((name) => toBusName('hostile', name));
    expect(new Set(busNames.map(toModelName)).size).toBe(busNames.length);
    const refused = logger.lines.filter(({ message }) => message === 'MCP tool not offered');
    expect(refused.map(({ fields }) => fields.tool)).toEqual(['same', 'bloated']);
  });

  it('is still read after it wrote invalid JSON', async () => {
    expect(plainText(await toolOf(hostile, 'garbage').run({}, toolContext()))).toBe('after the garbage');
  });

  it('cannot fill the log', async () => {
    expect(plainText(await toolOf(hostile, 'chatter').run({}, toolContext()))).toBe('said');
    const isTooMuch = ({ message }: { message: string }) =>
      message === 'MCP server log lines over the limit per minute';
    expect(logger.lines.filter(isTooMuch)).toHaveLength(1);
    const said = logger.lines.filter(({ message }) => /^line \d+$|^so it goes$/.test(message));
    expect(said.length).toBeGreaterThan(900);
    expect(said.length).toBeLessThanOrEqual(1_000);
  });

  it('gets an error with the reason when it asks for the model', async () => {
    const told = await toolOf(hostile, 'sample').run({}, toolContext());
    expect(JSON.parse(plainText(told))).toMatchObject({
      code: -32601,
      message: expect.stringContaining('Switchyard does not give MCP servers access to its model'),
    });
  });

  it('fails the call with a clear error when it answers with the wrong shape', async () => {
    await expect(toolOf(hostile, 'wrong').run({}, toolContext())).rejects.toMatchObject({
      detail: {
        error_type: 'ToolExecutionError',
        error_message: expect.stringContaining('invalid result'),
      },
    });
  });

  it.each(['huge', 'crash'])('is reconnected after a call that ends in: %s', async (name) => {
    const gone = untilChanged(hostile, () => hostile.tools().length === 0);
    await expect(toolOf(hostile, name).run({}, toolContext())).rejects.toMatchObject({
      name: 'ToolConnectionLostError',
    });
    expect(await callGood()).toBe('get-weather Ulm');
    await gone;
    await isBack();
    expect(plainText(await toolOf(hostile, 'listings').run({}, toolContext()))).toBe('1');
  });

  it('is not called for a while after it hung several times in a row; calls of other servers still run', async () => {
    const metrics = createMetrics({ collectDefaults: false });
    const breaker = { failures: 3, minOpenMs: 2_000, maxOpenMs: 2_000 };
    const time = systemTime();
    const hanging = createToolset(hostileServer(), { breaker }, recordingLogger(), { metrics, time });
    await hanging.start();
    const call = (name: string) =>
      toolOf(hanging, name).run(
        {},
        toolContext({ signal: limitTime(new SystemClock(), name === 'hang' ? 30 : 20_000) }),
      );
    const state = async () => (await metrics.mcpBreaker.get()).values[0]!.value;
    // No time passes between the third failure and the next call, even if the machine stalls.
    let now = time.clock.now();
    time.clock.now = () => now;
    // The worker measures the time and aborts the call.
    for (let failure = 0; failure < 3; failure++) {
      await expect(call('hang')).rejects.toBeInstanceOf(Error);
    }
    expect(await state()).toBe(2);
    await expect(call('garbage')).rejects.toMatchObject({
      detail: { error_type: 'DependencyUnavailable', error_details: { retry_after_ms: expect.any(Number) } },
    });
    expect(await callGood()).toBe('get-weather Ulm');
    now += breaker.minOpenMs;
    expect(plainText(await call('garbage'))).toBe('after the garbage');
    expect(await state()).toBe(0);
  });

  it('is listed less and less often when its tools change at every listing', async () => {
    const clock = new SystemClock();
    const pauses: number[] = [];
    const after = clock.after.bind(clock);
    let now = clock.now();
    // Only pauses take time, so each measured pause is the intended one.
    clock.now = () => now;
    clock.after = (ms, run, options) => {
      const timer = after(ms, run, options);
      pauses.push(ms);
      if (ms < 1_000) now += ms;
      return timer;
    };
    const timings = { minRelistMs: 40, maxPauseMs: 60_000 };
    const time = { ...systemTime(), clock };
    const changing = createToolset(hostileServer({ LIST: 'changing' }), timings, recordingLogger(), { time });
    await changing.start();
    await untilChanged(changing, () => names(changing).includes('version_4'));
    expect(pauses).toEqual(expect.arrayContaining([40, 80]));
    expect(await callGood()).toBe('get-weather Ulm');
  });

  it('is listed again when its tools change while it answers the first listing', async () => {
    const overtaken = createToolset(hostileServer({ LIST: 'overtaken' }));
    await overtaken.start();
    await untilChanged(overtaken, () => names(overtaken).includes('late'));
    expect(names(overtaken)).toContain('listings');
  });

  it('offers nothing and delays no calls of other servers when it never answers its listing', async () => {
    const silent = createToolset(hostileServer({ LIST: 'never' }), { firstTryMs: 50 });
    await silent.start();
    expect(silent.tools()).toEqual([]);
    expect(await callGood()).toBe('get-weather Ulm');
    await silent.stop();
  });
});
