import { beforeEach, describe, expect, it } from '@jest/globals';
import { takePicture } from './browser.js';
import { usePageFixture } from './fixture.js';
import { seedConversations } from './scenes.js';

const web = usePageFixture();
beforeEach(() => seedConversations(web.gateway));

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const today = '2026-11-19';
const use = (day: string, model: string, input_tokens: number, output_tokens: number, cost: number) =>
  web.gateway.usage.used.push({ day, model, input_tokens, output_tokens, cost });
const linesOf = (section: string) =>
  web.page
    .getByRole('dialog', { name: 'Usage' })
    .getByRole('region', { name: section, exact: true })
    .locator('dl > div')
    .evaluateAll((lines) => lines.map((line) => [...line.children].map(({ textContent }) => textContent)));

function fillUsage(): void {
  use(today, 'anthropic/claude-sonnet-5-5', 31_207, 1_402, 0.1146);
  use(today, 'ollama/qwen3-coder-with-a-long-name:30b', 8_000, 1, 0);
  use('2026-11-03', 'anthropic/claude-sonnet-5-5', 1_200_000, 48_000, 4.32);
  use('2026-11-03', 'openai/gpt-6', 20_000, 900, 0.049);
  web.gateway.usage.budget = {
    tokens: { limit: 2_000_000, used: 40_610, left: 1_959_390 },
    cost: { limit: 5, used: 0.1146, left: 4.8854 },
    renewed_at: '2026-11-20T00:00:00.000Z',
  };
}

describe('the usage popover', () => {
  for (const [name, options] of [
    ['light', { colorScheme: 'light' as const }],
    ['dark', { colorScheme: 'dark' as const }],
    ['phone', { ...phone, colorScheme: 'light' as const }],
  ] as const) {
    it(`shows today and the last 30 days by model, with costs where a price is set, ${name}`, async () => {
      fillUsage();
      await web.open('', options);
      if (name === 'phone') await web.button('Show conversations').tap();
      await web.button('Usage').click();
      await web.seen('Last 30 days');
      expect(await linesOf('Today')).toEqual([
        ['anthropic/claude-sonnet-5-5', '32,609 tokens · 0.1146'],
        ['ollama/qwen3-coder-with-a-long-name:30b', '8,001 tokens'],
        ['All models', '40,610 tokens · 0.1146'],
      ]);
      expect(await linesOf('Last 30 days')).toEqual([
        ['anthropic/claude-sonnet-5-5', '1,280,609 tokens · 4.43'],
        ['ollama/qwen3-coder-with-a-long-name:30b', '8,001 tokens'],
        ['openai/gpt-6', '20,900 tokens · 0.049'],
        ['All models', '1,309,510 tokens · 4.48'],
      ]);
      expect((await linesOf('Left today')).slice(0, 2)).toEqual([
        ['Tokens', '1,959,390 of 2,000,000'],
        ['Cost', '4.89 of 5'],
      ]);
      await takePicture(web.page, `usage-${name}`);
      const { x, width } = (await web.page.getByRole('dialog', { name: 'Usage' }).boundingBox())!;
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(web.page.viewportSize()!.width);
      const [shown, whole] = await web.page
        .locator('.usage-box')
        .evaluate((box) => [box.clientWidth, box.scrollWidth]);
      expect(whole).toBe(shown);
    });
  }

  it('says that no model was used, and omits the sum of a single line', async () => {
    await web.open();
    await web.button('Usage').click();
    await web.seen('No model was used.');
    await web.button('Close').click();
    use(today, 'demo', 10, 5, 0);
    await web.button('Usage').click();
    await web.seen('15 tokens');
    expect(await linesOf('Today')).toEqual([['demo', '15 tokens']]);
    await takePicture(web.page, 'usage-one-light');
  });
});
