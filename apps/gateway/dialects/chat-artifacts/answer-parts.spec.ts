import { describe, expect, it } from '@jest/globals';
import type { Block } from '#contracts';
import { answerParts, type Pinned } from './answer-parts.js';
import { mergeGraphTexts } from './knowledge-graph.js';
import { keyOf } from './sent-artifact.js';
import type { CallYield } from './collected.js';

const NOTHING: Pinned = { keys: [], graphs: [] };
const GRAPH = 'application/vnd.knowledge-graph';
const say = (text: string): Block => ({ type: 'text', text });
const show = (type: string, title: string, content: string): Block => ({
  type: 'text',
  text: `shown: ${title}`,
  artifact: { type, title, content },
});
const left = (data: CallYield['data'], images: CallYield['images'] = []): CallYield => ({ data, images });
const parts = async (blocks: Block[], yields: CallYield[] = [], pinned = NOTHING) =>
  (await answerParts({ blocks, yields }, pinned, (texts) => Promise.resolve(mergeGraphTexts(texts)))).map(
    (part) => ('text' in part ? part.text : [part.artifact.type, part.artifact.title, part.artifact.content]),
  );
const graphOf = (...nodes: string[]) => ({ nodes: nodes.map((id) => ({ id })), links: [] });

describe('answerParts', () => {
  it('lists the segments in order, without blank text and thinking', async () => {
    const blocks = [
      { type: 'thinking' as const, text: 'hm' },
      say('One'),
      say(' \n'),
      show('text/html', 'P', '<p>'),
    ];
    expect(await parts([...blocks, say('Two')])).toEqual(['One', ['text/html', 'P', '<p>'], 'Two']);
  });

  it('adds the artifacts of calls in call order, from results and structured content', async () => {
    const artifacts = [{ type: 'text/markdown', title: 'A', content: 'a' }, 'art_0123', { type: 'x' }];
    const structured = { artifacts: [{ type: 'application/json', content: { a: 1 } }] };
    const binaryOutput = {
      type: 'image/png',
      data: 'data:image/png;base64,AAAA',
      metadata: { sourceCode: 'plot()' },
    };
    const yields = [
      left({ text: 'x', artifacts, structured }),
      left({ binaryOutput, grantMarkdown: '# Grant' }, [
        { type: 'image/jpeg', title: 'Image', base64: 'BBBB' },
      ]),
      left(null),
    ];
    expect(await parts([say('Hi')], yields)).toEqual([
      'Hi',
      ['text/markdown', 'A', 'a'],
      ['application/json', 'Untitled', '{"a":1}'],
      ['image/png', 'Generated PNG', 'AAAA'],
      ['application/vnd.ant.python', 'Source Code', 'plot()'],
      ['text/markdown', 'Grant', '# Grant'],
      ['image/jpeg', 'Image', 'BBBB'],
    ]);
  });

  it('sends equal artifacts once, and none that was pinned', async () => {
    const artifact = { type: 'text/markdown', title: 'A', content: 'a' };
    const other = { type: 'text/markdown', title: 'A', content: 'b' };
    const yields = [left({ artifacts: [artifact, other] }), left({ artifacts: [artifact] })];
    expect(await parts([show('text/markdown', 'First', 'a')], yields)).toEqual([
      ['text/markdown', 'First', 'a'],
      ['text/markdown', 'A', 'b'],
    ]);
    expect(await parts([say('Hi')], yields, { keys: [keyOf(artifact)], graphs: [] })).toEqual([
      'Hi',
      ['text/markdown', 'A', 'b'],
    ]);
  });

  it('merges all graphs into one: the pinned one first, then those of the calls, then the answer’s', async () => {
    const artifact = (content: object) => ({ type: GRAPH, title: 'Part', content });
    const yields = [
      left({ artifacts: [artifact(graphOf('b'))] }),
      left({ artifacts: [{ ...artifact(graphOf('c')), type: 'application/vnd.ant.knowledge-graph' }] }),
    ];
    const whole = [GRAPH, 'Knowledge Graph', JSON.stringify(graphOf('a', 'b', 'c', 'd'))];
    const own = show(GRAPH, 'Mine', JSON.stringify(graphOf('d')));
    const pinned = { keys: [], graphs: [JSON.stringify(graphOf('a'))] };
    expect(await parts([say('Hi'), own, say('Bye')], yields, pinned)).toEqual(['Hi', whole, 'Bye']);
    expect(await parts([say('Hi')], [], pinned)).toEqual(['Hi']);
  });

  it('sends an invalid graph as plain JSON', async () => {
    const broken = { type: GRAPH, title: 'G', content: { nodes: [{}], links: [] } };
    expect(await parts([], [left({ artifacts: [broken] })])).toEqual([
      ['application/json', 'G', JSON.stringify(broken.content)],
    ]);
  });

  it('merges all references into one list', async () => {
    const yields = [
      left({ bibliography: [{ pmid: '1' }, { pmid: '2' }] }),
      left({ structured: { bibliography: [{ pmid: '2' }, { pmid: '3' }] } }),
      left({ bibliography: [] }),
    ];
    expect(await parts([say('Hi')], yields)).toEqual([
      'Hi',
      ['application/vnd.bibliography', 'Bibliography', '[{"pmid":"1"},{"pmid":"2"},{"pmid":"3"}]'],
    ]);
  });
});
