import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const css = readFileSync(new URL('../../apps/web/src/styles/tokens.css', import.meta.url), 'utf8');

const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

const tokens = new Map(
  [...css.matchAll(/--([a-z0-9-]+):\s*light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name!, { light: light!, dark: dark! }],
  ),
);

const surfaces = ['side', 'bg', 'surface', 'surface-2', 'surface-3', 'raised'];

/** What stands on what, as the style sheets use it. */
const texts: [string, string[]][] = [
  ['ink', [...surfaces, 'accent-soft', 'warn-soft', 'bad-soft']],
  ['ink-2', [...surfaces, 'warn-soft', 'bad-soft']],
  ['ink-3', ['side', 'bg', 'surface', 'surface-2', 'raised']],
  ['accent', ['side', 'bg', 'surface', 'surface-2', 'raised', 'accent-soft']],
  ['accent-2', ['bg', 'surface', 'raised']],
  ['on-accent', ['accent', 'accent-2']],
  ['warn', ['side', 'bg', 'surface', 'surface-2', 'raised', 'warn-soft']],
  ['bad', ['side', 'bg', 'surface', 'surface-2', 'raised', 'bad-soft']],
  ['bg', ['ink', 'ink-2']],
];
const controls: [string, string[]][] = [
  ['line-control', ['side', 'bg', 'surface', 'raised']],
  ['focus', surfaces],
];

const pairsOf = (list: [string, string[]][]) =>
  list.flatMap(([front, backs]) => backs.map((back) => [front, back] as const));

function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(front: string, back: string, theme: Theme): number {
  const [low, high] = [front, back].map((name) => luminance(tokens.get(name)![theme])).sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

const failing = (pairs: (readonly [string, string])[], theme: Theme, least: number) =>
  pairs
    .filter(([front, back]) => contrast(front, back, theme) < least)
    .map(([front, back]) => `${front} on ${back}: ${contrast(front, back, theme).toFixed(2)}`);

describe('colour contrast (WCAG 2.2 AA with a margin)', () => {
  it('is measured as WCAG defines it', () => {
    tokens.set('black', { light: '#000000', dark: '#000000' });
    tokens.set('white', { light: '#ffffff', dark: '#ffffff' });
    expect(contrast('black', 'white', 'light')).toBeCloseTo(21, 5);
  });

  for (const theme of themes) {
    it(`is at least 4.8:1 for text in ${theme}`, () => {
      expect(failing(pairsOf(texts), theme, 4.8)).toEqual([]);
    });

    it(`is at least 3.1:1 for controls and focus in ${theme}`, () => {
      expect(failing(pairsOf(controls), theme, 3.1)).toEqual([]);
    });
  }
});
