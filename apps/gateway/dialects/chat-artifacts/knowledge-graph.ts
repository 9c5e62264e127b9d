import { isObject } from '#contracts';
import { MAX_LARGE_VALUES } from '../../door/bodies/body-limits.js';
import type { BodyReader } from '../../door/bodies/body-reader.js';
import { meterOf } from '../../door/bodies/json-meter.js';
import { parseJson, type JsonObject } from './json-value.js';

export const GRAPH_TYPE = 'application/vnd.knowledge-graph';
const GRAPH_TYPES = [GRAPH_TYPE, 'application/vnd.ant.knowledge-graph'];

export type GraphNode = JsonObject & { id: string };
export type GraphLink = JsonObject & { source: string; target: string };

export interface KnowledgeGraph {
  nodes: GraphNode[];
  links: GraphLink[];
  metadata?: JsonObject;
}

export function isGraphType(type: string): boolean {
  return GRAPH_TYPES.includes(type);
}

/** From an object or its JSON; undefined for anything else. */
export function readGraph(given: unknown): KnowledgeGraph | undefined {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (!isObject(value) || !Array.isArray(value.nodes) || !Array.isArray(value.links)) return undefined;
  const { nodes, links, metadata } = value as { nodes: unknown[]; links: unknown[]; metadata?: unknown };
  if (!nodes.every(isNode) || !links.every(isLink)) return undefined;
  return { nodes, links, ...(isObject(metadata) ? { metadata } : {}) };
}

/**
 * Merges several graphs, in the given order. Of nodes with one id, and of links with one source, target and label, the
 * first stays; a link has the evidence of all. For duplicate metadata, the last value wins.
 */
export function mergeGraphs(graphs: readonly KnowledgeGraph[]): KnowledgeGraph {
  const nodes = new Map<string, GraphNode>();
  const links = new Map<string, GraphLink>();
  const metadata: JsonObject = {};
  for (const graph of graphs) {
    for (const node of graph.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node);
    for (const link of graph.links) {
      const key = linkKey(link);
      const first = links.get(key);
      links.set(key, first ? withEvidence(first, link) : link);
    }
    Object.assign(metadata, graph.metadata);
  }
  const hasMetadata = graphs.some((graph) => graph.metadata !== undefined);
  return { nodes: [...nodes.values()], links: [...links.values()], ...(hasMetadata ? { metadata } : {}) };
}

/** The same for JSON. Invalid graphs, and those with too many values, are left out. */
export function mergeGraphTexts(texts: readonly string[]): string {
  const graphs = texts.flatMap((text) => {
    const graph = meterOf(text).values > MAX_LARGE_VALUES ? undefined : readGraph(text);
    return graph ? [graph] : [];
  });
  return JSON.stringify(mergeGraphs(graphs));
}

function isNode(value: unknown): value is GraphNode {
  return isObject(value) && isName(value.id);
}

function isLink(value: unknown): value is GraphLink {
  return isObject(value) && isName(value.source) && isName(value.target);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function linkKey({ source, target, label }: GraphLink): string {
  return JSON.stringify([source, target, typeof label === 'string' ? label : '']);
}

function withEvidence(first: GraphLink, second: GraphLink): GraphLink {
  const evidence = [...new Set([...evidenceOf(first), ...evidenceOf(second)])];
  return evidence.length > 0 ? { ...first, evidence } : first;
}

function evidenceOf({ evidence }: GraphLink): unknown[] {
  return Array.isArray(evidence) ? evidence : [];
}

export const graphReader: BodyReader<string, readonly string[]> = {
  module: import.meta.url,
  name: 'mergeGraphTexts',
  read: mergeGraphTexts,
};
