import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../docs/documents.js';

export interface ScrapeConfig {
  job_name: string;
  dns_sd_configs?: unknown;
  file_sd_configs?: unknown;
}

export interface PrometheusConfig {
  global: { scrape_interval: string; evaluation_interval: string };
  rule_files: string[];
  scrape_configs: ScrapeConfig[];
}

export interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface RuleFile {
  name: string;
  groups: { name: string; rules: Rule[] }[];
}

export interface Dashboard {
  uid: string;
  title: string;
  templating: { list: { name: string; type: string; query: unknown }[] };
  panels: Panel[];
}

export interface Panel {
  title: string;
  type: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  /** `noValue` says what an empty answer means: without it the panel has data in health. */
  fieldConfig?: { defaults: { unit?: string; noValue?: string } };
  targets?: { expr: string; legendFormat?: string; refId: string }[];
}

/** One query of a panel, as Prometheus gets it. */
export interface PanelQuery {
  /** `Overview: Ready processes` */
  where: string;
  expr: string;
  mayBeEmpty: boolean;
}

export const PROMETHEUS_FOLDER = join(root, 'deploy/prometheus');
const DASHBOARDS_FOLDER = join(root, 'deploy/grafana/dashboards');

export function readPrometheusConfig(): PrometheusConfig {
  return parse(readFileSync(join(PROMETHEUS_FOLDER, 'prometheus.yml'), 'utf8')) as PrometheusConfig;
}

export function readRuleFiles(): RuleFile[] {
  const folder = join(PROMETHEUS_FOLDER, 'rules');
  return readdirSync(folder).map((name) => {
    const content = parse(readFileSync(join(folder, name), 'utf8')) as Omit<RuleFile, 'name'>;
    return { ...content, name };
  });
}

export function readAlerts(): (Rule & { alert: string })[] {
  const rules = readRuleFiles().flatMap(({ groups }) => groups.flatMap((group) => group.rules));
  return rules.filter((rule): rule is Rule & { alert: string } => rule.alert !== undefined);
}

export function readDashboards(): (Dashboard & { file: string })[] {
  return readdirSync(DASHBOARDS_FOLDER).map((file) => {
    const dashboard = JSON.parse(readFileSync(join(DASHBOARDS_FOLDER, file), 'utf8')) as Dashboard;
    return { ...dashboard, file: basename(file, '.json') };
  });
}

/** With Grafana's variables filled in: a window of `interval`, and every toolset, job and so on. */
export function readPanelQueries(interval: string): PanelQuery[] {
  return readDashboards().flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({
        where: `${title}: ${panel.title}`,
        expr: expr.replaceAll('$__rate_interval', interval).replace(/\$\w+/g, '.+'),
        mayBeEmpty: panel.fieldConfig?.defaults.noValue !== undefined,
      })),
    ),
  );
}
