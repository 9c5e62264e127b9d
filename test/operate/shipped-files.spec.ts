import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '#observability';
import { firstCells, headingsOf, listSources, readDocument, root, section } from '../docs/documents.js';
import { runCommand } from '../services/child.js';
import { PROMTOOL } from '../services/prometheus-programs.js';
import { describeWithServices } from '../services/test-services.js';
import { hastenRule } from './hasten.js';
import {
  PROMETHEUS_FOLDER,
  readAlerts,
  readDashboards,
  readPanelQueries,
  readPrometheusConfig,
  readRuleFiles,
} from './shipped-files.js';

const SUFFIXES = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] };
const SECTIONS = ['What users see', 'How to confirm', 'What to do', 'What not to do'];

const alerts = readAlerts();
const rules = readRuleFiles().flatMap(({ groups }) => groups.flatMap((group) => group.rules));
const dashboards = readDashboards();
const expressions = [
  ...rules.map(({ alert, record, expr }) => ({ where: alert ?? record!, expr })),
  ...readPanelQueries('5m'),
  ...dashboards.flatMap(({ title, templating }) =>
    templating.list.map(({ name, query }) => ({ where: `${title}: $${name}`, expr: JSON.stringify(query) })),
  ),
];

/** What matches, with where it stands. */
function named(pattern: RegExp): { where: string; name: string }[] {
  return expressions.flatMap(({ where, expr }) =>
    [...expr.matchAll(pattern)].map(([name]) => ({ where, name })),
  );
}

describe('dashboards and rules', () => {
  it('name only metrics that processes have', () => {
    const { definitions } = createMetrics();
    const known = definitions.flatMap(({ name, type }) => SUFFIXES[type].map((suffix) => name + suffix));
    const used = named(/\bswitchyard_\w+/g);
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter(({ name }) => !known.includes(name))).toEqual([]);
  });

  it('name only labels and values that these metrics have', () => {
    const { definitions } = createMetrics();
    const selectors = named(/\bswitchyard_\w+\{[^}]+\}/g);
    const wrong = selectors.filter(({ name: selector }) => {
      const definition = definitions.find(
        ({ name }) => selector.replace(/(_bucket|_count)?\{.*/, '') === name,
      );
      const matchers = [...selector.matchAll(/(\w+)(?:=|!=|=~|!~)"([^"]*)"/g)];
      return matchers.some(([, label, value]) => {
        if (['job', 'instance', 'le'].includes(label!)) return false;
        const values = definition?.labels[label!];
        if (values === undefined) return true;
        return values !== 'open' && value !== '.+' && !value!.split('|').every((one) => values.includes(one));
      });
    });
    expect(selectors.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });

  it('name only recording rules and jobs that exist', () => {
    const records = rules.map(({ record }) => record);
    const jobs = readPrometheusConfig().scrape_configs.map(({ job_name }) => job_name);
    expect(named(/\bswitchyard:\w+:\w+/g).filter(({ name }) => !records.includes(name))).toEqual([]);
    const usedJobs = named(/(?<=\bjob=")[^"]+/g);
    expect(usedJobs.length).toBeGreaterThan(3);
    expect(usedJobs.filter(({ name }) => !jobs.includes(name))).toEqual([]);
  });
});

describe('dashboards', () => {
  it.each(dashboards)('$title: has what Grafana needs to import it', ({ uid, file, panels, templating }) => {
    expect(file).toBe(uid);
    expect(templating.list.map(({ name }) => name)).toContain('datasource');
    for (const { title, gridPos, targets, fieldConfig } of panels) {
      expect(title).not.toBe('');
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      expect(targets!.length).toBeGreaterThan(0);
      expect(fieldConfig!.defaults.unit).toBeDefined();
    }
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });

  it('show the overview on one screen', () => {
    const { panels } = dashboards.find(({ uid }) => uid === 'switchyard-overview')!;
    expect(Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h))).toBeLessThanOrEqual(20);
  });
});

describe('alerts', () => {
  it.each(alerts)('$alert: has a severity, a meaning and its runbook', ({ labels, annotations }) => {
    expect(labels?.severity).toMatch(/^(critical|warning)$/);
    const { summary, description, runbook_url } = annotations!;
    expect([summary, description]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
    const [path, anchor] = runbook_url!.split('#');
    expect(path).toMatch(/^docs\/runbooks\/[\w-]+\.md$/);
    const [title] = headingsOf(readDocument(path!));
    expect(anchor).toBe(title!.toLowerCase().replaceAll(' ', '-'));
  });

  it('have a page each, which names its alert and severity and says what to do', () => {
    const pages = readdirSync(join(root, 'docs/runbooks')).map((name) => `docs/runbooks/${name}`);
    const linked = alerts.map(({ annotations }) => annotations!.runbook_url!.split('#')[0]!);
    expect(linked.sort()).toEqual(pages.sort());
    for (const { alert, labels, annotations } of alerts) {
      const text = readDocument(annotations!.runbook_url!.split('#')[0]!);
      expect(text).toContain(`\`${alert}\`, ${labels!.severity}: `);
      expect(headingsOf(text).slice(1)).toEqual(SECTIONS);
    }
  });

  it('are the rows of the table in docs/operations.md', () => {
    const table = section(readDocument('docs/operations.md'), '## Dashboards and alerts');
    const names = firstCells(table).map((cell) => /`(Switchyard\w+)`/.exec(cell)?.[1]);
    expect(names.filter((name) => name !== undefined).sort()).toEqual(
      alerts.map(({ alert }) => alert).sort(),
    );
  });

  it('are each provoked by `npm run operate` and by a test of the rules', () => {
    const sources = listSources().filter(({ path }) => path.startsWith('test/operate/provocations/'));
    const provoked = sources.flatMap(({ text }) =>
      [...text.matchAll(/alert: '(\w+)'/g)].map(([, name]) => name),
    );
    expect([...new Set(provoked)].sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    const folder = join(PROMETHEUS_FOLDER, 'tests');
    const tests = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const untested = alerts.filter(({ alert }) => !tests.some((test) => test.includes(`"${alert}"`)));
    expect(untested).toEqual([]);
  });

  it('are hastened in their windows and times, and in nothing else', () => {
    const rule = { alert: 'A', expr: 'sum(rate(x[5m])) > 5', for: '2m', labels: { severity: 'critical' } };
    expect(hastenRule(rule)).toEqual({ ...rule, expr: 'sum(rate(x[15s])) > 5', for: '6s' });
  });
});

describeWithServices(['promtool'], 'promtool', () => {
  const folder = (name: string) => join(PROMETHEUS_FOLDER, name);
  const files = (name: string) => readdirSync(folder(name)).map((file) => join(folder(name), file));

  it.each([
    ['the configuration', ['check', 'config', folder('prometheus.yml')]],
    ['the rules', ['check', 'rules', '--lint-fatal', ...files('rules')]],
    ['the times and thresholds of the alerts', ['test', 'rules', ...files('tests')]],
  ])('accepts %s', async (_, words) => {
    expect(existsSync(PROMTOOL)).toBe(true);
    expect(await runCommand(PROMTOOL, words, { env: {} })).toContain('SUCCESS');
  });
});
