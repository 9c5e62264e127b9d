import { describe, expect, it } from '@jest/globals';
import { createMetrics } from './create-metrics.js';

describe('createMetrics', () => {
  it('prefixes every metric with switchyard_', async () => {
    const { registry } = createMetrics({ collectDefaults: false });
    const names = (await registry.getMetricsAsJSON()).map((metric) => metric.name);
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !name.startsWith('switchyard_'))).toEqual([]);
  });

  it('counts by label in a separate registry', async () => {
    const first = createMetrics({ collectDefaults: false });
    const second = createMetrics();
    first.turnsEnded.inc({ status: 'completed', code: 'none' });
    expect(await first.registry.metrics()).toContain(
      'switchyard_turns_ended_total{status="completed",code="none"} 1',
    );
    const other = await second.registry.metrics();
    expect(other).toContain('switchyard_turns_ended_total{status="completed",code="none"} 0');
    expect(other).toContain('process_cpu_seconds_total');
  });

  it('has at most 2,000 series, whatever names the deployment has', async () => {
    const { definitions, registry } = createMetrics();
    const own = definitions.reduce((sum, { maxSeries }) => sum + maxSeries, 0);
    const lines = (await registry.metrics()).split('\n');
    const others = lines.filter((line) => /^(?!switchyard_)\w/.test(line));
    expect(own).toBeGreaterThan(500);
    expect(others.length).toBeGreaterThan(20);
    // Node.js adds series for kinds of garbage collections that have not happened yet.
    expect(own + 2 * others.length).toBeLessThanOrEqual(2_000);
  });

  it('counts series as the scrape shows them', async () => {
    const { registry, definitions, toolCallDuration } = createMetrics({ collectDefaults: false });
    for (let i = 0; i < 100; i++) toolCallDuration.observe({ toolset: `t${i}` }, 1);
    const { maxSeries } = definitions.find(({ name }) => name === 'switchyard_tool_call_duration_seconds')!;
    const lines = (await registry.metrics()).split('\n');
    const shown = lines.filter((line) => line.startsWith('switchyard_tool_call_duration_seconds'));
    expect(shown).toHaveLength(maxSeries);
  });

  it('shows a counter whose first count is an alarm from the start', async () => {
    const { deadLetters, repairs, publishOutcomes } = createMetrics({ collectDefaults: false });
    expect((await repairs.get()).values).toContainEqual(
      expect.objectContaining({ labels: { kind: 'turn_taken_over' }, value: 0 }),
    );
    expect((await deadLetters.get()).values).toHaveLength(30);
    expect((await publishOutcomes.get()).values).toEqual([]);
  });

  it('refuses no value: a name beyond the limit is other', async () => {
    const { toolCallDuration, mcpServerUp } = createMetrics({ collectDefaults: false });
    for (let i = 0; i < 100; i++) mcpServerUp.set({ server: `s${i}` }, 1);
    expect((await mcpServerUp.get()).values.at(-1)).toMatchObject({ labels: { server: 'other' }, value: 1 });
    toolCallDuration.observe({ toolset: 'math' }, 2);
    expect((await toolCallDuration.get()).values).toContainEqual(
      expect.objectContaining({ labels: { toolset: 'math' }, value: 2 }),
    );
  });

  it('describes each metric in a sentence', () => {
    const { definitions } = createMetrics({ collectDefaults: false });
    for (const { name, help } of definitions)
      expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
  });
});
