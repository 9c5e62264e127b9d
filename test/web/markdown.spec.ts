import { beforeEach, describe, expect, it } from '@jest/globals';
import { takePicture } from './browser.js';
import type { FakeTurn } from './fake-turn.js';
import { usePageFixture } from './fixture.js';

const web = usePageFixture();

const CODE = '```ts\ninterface Rows {\n  [name: string]: string;\n}\n```';
const PARAGRAPHS = Array.from(
  { length: 60 },
  (_, n) => `## Part ${n}\n\n${`Paragraph ${n} with **bold** text. `.repeat(4)}`,
);
const ROWS = Array.from({ length: 400 }, (_, n) => `| ${n} | **row** ${n} | \`code\` |`).join('\n');
const ITEMS = Array.from({ length: 300 }, (_, n) => `${n + 1}. item **${n}** of a long list`).join('\n');

describe('a long answer while it grows', () => {
  let turn: FakeTurn;
  beforeEach(async () => {
    await web.open();
    await web.say('go on');
    turn = (await web.turn(0)).start().say('# Start\n\n');
    await prose().locator('[data-depth]').waitFor();
  });

  const prose = () => web.page.locator('.prose').last();
  const countOf = (selector: string) => prose().locator(selector).count();
  /** How many elements of each kind. */
  const shape = () =>
    prose().evaluate((box) => {
      const counts: Record<string, number> = {};
      for (const { tagName } of box.querySelectorAll('*')) counts[tagName] = (counts[tagName] ?? 0) + 1;
      return counts;
    });

  it.each([
    ['code with a computed key', `${CODE}\n\n`],
    ['a reference', 'See [the place] and more.\n\n[the place]: https://a.example\n\n'],
    ['a footnote', 'A claim[^1].\n\n[^1]: Its source.\n\n'],
  ])('stays rendered with %s in it', async (_, start) => {
    turn.stream(`${start}${PARAGRAPHS.join('\n\n')}\n\nnow **growing`);
    await web.seen('now **growing');
    expect(await countOf('strong')).toBeGreaterThanOrEqual(60);
    expect(await countOf('[data-depth="2"]')).toBe(60);
    expect(await prose().innerText()).not.toContain('## Part');
  });

  it.each([
    ['table', `| a | b | c |\n|---|---|---|\n${ROWS}`, 'tbody tr', 400],
    ['list', ITEMS, 'li', 300],
  ])('shows a %s of any length as one, and changes nothing at its end', async (_, text, selector, count) => {
    turn.stream(text);
    await prose()
      .locator(selector)
      .nth(count - 1)
      .waitFor();
    expect(await countOf(selector)).toBe(count);
    const growing = await shape();
    turn.complete();
    await web.seen('tokens');
    expect(await shape()).toEqual(growing);
  });

  it('has its cursor behind the last line of code, so that the block keeps its height', async () => {
    turn.stream('```ts\nconst one = 1;\n\n');
    const code = prose().locator('.code-block pre');
    await code.getByText('const one').waitFor();
    const heightOf = async () => (await code.boundingBox())!.height;
    const growing = await heightOf();
    await takePicture(web.page, 'markdown-code-cursor');
    turn.stream('```').complete();
    await web.seen('tokens');
    expect(growing).toBe(await heightOf());
  });

  it('keeps the elements of what is finished', async () => {
    turn.stream(`first\n\n| a |\n|---|\n| 1 |\n| 2`);
    await prose().locator('td', { hasText: '2' }).waitFor();
    await prose().evaluate((box) =>
      box
        .querySelectorAll('*')
        .forEach((one: { setAttribute(name: string, value: string): void }) =>
          one.setAttribute('title', 'old'),
        ),
    );
    turn.stream(` more |\n| 3 |\n\nlast`);
    await prose().locator('p', { hasText: 'last' }).waitFor();
    expect(await countOf('[title=old]')).toBe(
      await prose().evaluate((box) => box.querySelectorAll('*').length - 3),
    );
  });
});

describe('Markdown in an answer', () => {
  const prose = () => web.page.locator('.prose').last();

  async function answer(text: string): Promise<void> {
    await web.open();
    await web.say('show me');
    (await web.turn(0)).start().say(`${text}\n\nthe end`).complete();
    // Not the text as it was written, before what renders it is there.
    await prose().getByText('the end', { exact: true }).waitFor();
  }

  it('leads to a footnote and back in the page, in each message to its own', async () => {
    await answer('One[^a] and two[^b].\n\n[^a]: First note.\n[^b]: Second *note*.\n    It goes on.');
    const address = web.page.url();
    await web.button('Note 2').click();
    const focused = () => web.page.evaluate<string>('document.activeElement.textContent');
    expect(await focused()).toContain('Second note.');
    await web.button('Back to the text of note 2').click();
    expect(await focused()).toBe('2');
    expect([web.page.url(), web.page.context().pages().length]).toEqual([address, 1]);
    await takePicture(web.page, 'markdown-footnotes');
  });

  it('is read from right to left where its text is', async () => {
    await answer(
      'שלום עולם.\n\n- רשימה\n\n- עוד\n\n> ציטוט\n\n| א | ב |\n|---|---|\n| 1 | 2 |\n\nEnglish words.',
    );
    const directions = await web.page.evaluate<string[]>(
      `['p', 'ul', 'li p', 'blockquote', 'table', ':scope > p:last-child'].map((kind) =>
        getComputedStyle([...document.querySelectorAll('.prose')].at(-1).querySelector(kind)).direction)`,
    );
    expect(directions).toEqual(['rtl', 'rtl', 'rtl', 'rtl', 'rtl', 'ltr']);
    await takePicture(web.page, 'markdown-right-to-left');
  });

  it('has names for boxes, and headings without gaps', async () => {
    await answer('### Deep\n\n- [x] made\n- [ ] open\n\n  with more\n\n# High');
    const boxes = await prose()
      .getByRole('checkbox')
      .evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(boxes).toEqual(['Done', 'To do']);
    const headings = await prose()
      .locator('[data-depth]')
      .evaluateAll((all) => all.map((one) => one.tagName));
    expect(headings).toEqual(['H3', 'H3']);
    expect(await prose().locator('li').first().innerText()).toBe('made');
  });

  it.each([
    ['a &amp; b &copy; &#x41; &lt;i&gt;', 'a & b © A <i>'],
    ['a \\*b\\* `&amp;`', 'a *b* &amp;'],
    ['one<br>two <b>three</b>', 'one\ntwo <b>three</b>'],
    ['<details>\nfour\n</details>', '<details> four </details>'],
    ['**a *b* ~~c~~**', 'a b c'],
    ['[x](#/c/other) [y](ftp://y.example) [z](file:///z)', 'x y z'],
  ])('reads %j', async (text, shown) => {
    await answer(text);
    expect(await prose().locator('p').first().innerText()).toBe(shown);
    expect(await prose().locator('a').count()).toBe(0);
  });

  it('links to the web and to mailboxes in a tab of their own', async () => {
    await answer(
      '[a](https://a.example/?x=1&amp;y=2 "t") https://b.example <me@c.example> ![pic](https://d.example/p.png)',
    );
    const links = await prose()
      .locator('a')
      .evaluateAll((all) =>
        all.map((one) => [one.textContent, one.getAttribute('href'), one.getAttribute('rel')]),
      );
    const rel = 'noopener noreferrer';
    expect(links).toEqual([
      ['a', 'https://a.example/?x=1&y=2', rel],
      ['https://b.example', 'https://b.example', rel],
      ['me@c.example', 'mailto:me@c.example', rel],
      ['pic', 'https://d.example/p.png', rel],
    ]);
  });
});
