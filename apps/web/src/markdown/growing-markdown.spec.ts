import { describe, expect, it } from '@jest/globals';
import { lexBlocks } from './lexer.js';
import { GrowingMarkdown } from './growing-markdown.js';

const MIXED = `# Title

First paragraph
goes on.

Setext
======

- a
- b

  more of b
    - nested

      \`\`\`ts
      interface X {
        [name: string]: string;

      }
      \`\`\`

1. one

2. two

> quote
lazy

\`\`\`\`sql
select 1

\`\`\`
\`\`\`\`

    indented

    code

| a | b |
|---|:-:|
| 1 | \`|\` |
| [x] | 3

See [x] and [a link] and a note[^1].

<details>
<b>html</b>

</details>

* * *

[x]: https://x.example
  "title"
[a link]: <https://a.example>
[^1]: the note
    goes on

    in paragraphs
[^2]: second

last words`;

const rawsOf = (markdown: GrowingMarkdown, text: string) =>
  markdown.parse(text).blocks.map(({ type, raw }) => [type, raw]);

describe('Markdown that grows', () => {
  it.each([
    ['letter by letter', 1],
    ['in tokens', 7],
    ['in large pieces', 61],
  ])('has at each moment the blocks of the whole text, %s', (_, step) => {
    const growing = new GrowingMarkdown();
    for (let length = 0; length <= MIXED.length + step; length += step) {
      const text = MIXED.slice(0, length);
      const whole = lexBlocks(text).filter(({ type }) => type !== 'space');
      expect(rawsOf(growing, text)).toEqual(whole.map(({ type, raw }) => [type, raw]));
    }
  });

  it('keeps its finished blocks, also after a definition and with any length', () => {
    const growing = new GrowingMarkdown();
    const start = `${MIXED}\n\n${'word '.repeat(5_000)}`;
    const before = growing.parse(start).blocks;
    const after = growing.parse(`${start}more\n\nend`).blocks;
    expect(after.slice(0, before.length - 2)).toEqual(before.slice(0, -2));
    before.slice(0, -2).forEach((block, index) => expect(after[index]).toBe(block));
  });

  it('reads from the start what is another text', () => {
    const growing = new GrowingMarkdown();
    growing.parse('one\n\ntwo');
    expect(rawsOf(growing, 'three')).toEqual([['paragraph', 'three']]);
  });

  it('has the same references until one is added', () => {
    const growing = new GrowingMarkdown();
    const { references } = growing.parse('a [x]\n\nb[^n]');
    expect(growing.parse('a [x]\n\nb[^n] and more').references).toBe(references);
    const defined = growing.parse(
      'a [x]\n\nb[^n] and more\n\n[x]: https://x.example\n\n[^n]: note',
    ).references;
    expect(defined.links).toEqual({ x: { href: 'https://x.example', title: undefined } });
    expect(defined.footnotes).toMatchObject([{ label: 'n' }]);
  });

  it('knows a computed key in code as code', () => {
    const { blocks, references } = new GrowingMarkdown().parse(
      '```ts\n  [name: string]: string;\n[x]: y\n```',
    );
    expect(blocks).toMatchObject([{ type: 'code', text: '  [name: string]: string;\n[x]: y' }]);
    expect(references.links).toEqual({});
  });
});
