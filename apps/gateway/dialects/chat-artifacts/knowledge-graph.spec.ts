import { describe, expect, it } from '@jest/globals';
import { isGraphType, mergeGraphs, readGraph, type KnowledgeGraph } from './knowledge-graph.js';

const node = (id: string, name = id) => ({ id, name });
const link = (source: string, target: string, more: object = {}) => ({ source, target, ...more });
const graph = (nodes: object[], links: object[] = [], metadata?: object) =>
  ({ nodes, links, ...(metadata ? { metadata } : {}) }) as KnowledgeGraph;

describe('readGraph', () => {
  it('reads a graph from an object or its JSON', () => {
    const given = graph([node('a')], [link('a', 'b')], { by: 'x' });
    expect(readGraph(given)).toEqual(given);
    expect(readGraph(JSON.stringify(given))).toEqual(given);
    expect(
      ['application/vnd.knowledge-graph', 'application/vnd.ant.knowledge-graph'].every(isGraphType),
    ).toBe(true);
  });

  it.each([
    ['text that is not JSON', '{'],
    ['a list', []],
    ['a graph without links', { nodes: [] }],
    ['a node without an id', { nodes: [{ name: 'a' }], links: [] }],
    ['an id that is not a string', { nodes: [{ id: 1 }], links: [] }],
    ['an empty id', { nodes: [{ id: '' }], links: [] }],
    ['a link without a target', { nodes: [], links: [{ source: 'a' }] }],
    [
      'excessively nested JSON',
      `{"nodes":[],"links":[],"metadata":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_001)}`,
    ],
  ])('returns nothing for %s', (_what, given) => {
    expect(readGraph(given)).toBeUndefined();
  });
});

describe('mergeGraphs', () => {
  it('keeps the first node of an id and the first link of source, target and label', () => {
    const first = graph([node('a', 'A'), node('b')], [link('a', 'b', { weight: 1 })]);
    const second = graph(
      [node('a', 'other'), node('c')],
      [link('a', 'b', { weight: 2, label: '' }), link('a', 'b', { label: 'likes' }), link('b', 'a')],
    );
    expect(mergeGraphs([first, second])).toEqual(
      graph(
        [node('a', 'A'), node('b'), node('c')],
        [link('a', 'b', { weight: 1 }), link('a', 'b', { label: 'likes' }), link('b', 'a')],
      ),
    );
  });

  it('merges evidence when one side or both have some', () => {
    const some = graph([], [link('a', 'b', { evidence: ['1', '2'] })]);
    const others = graph([], [link('a', 'b', { evidence: ['2', '3'] })]);
    const none = graph([], [link('a', 'b')]);
    const evidenceOf = (...graphs: KnowledgeGraph[]) => mergeGraphs(graphs).links[0]!.evidence;
    expect(evidenceOf(some, others)).toEqual(['1', '2', '3']);
    expect(evidenceOf(none, some)).toEqual(['1', '2']);
    expect(evidenceOf(some, none)).toEqual(['1', '2']);
    expect(mergeGraphs([none, none]).links[0]).not.toHaveProperty('evidence');
  });

  it('merges metadata, and later values win', () => {
    expect(mergeGraphs([graph([], [], { a: 1, b: 1 }), graph([]), graph([], [], { b: 2 })]).metadata).toEqual(
      {
        a: 1,
        b: 2,
      },
    );
    expect(mergeGraphs([graph([])])).not.toHaveProperty('metadata');
  });
});
