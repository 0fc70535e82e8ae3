import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const css = readFileSync(new URL('../app/styles/tokens.css', import.meta.url), 'utf8');

/** The colour of a token in the light and in the dark theme. */
function colours(token: string): readonly string[] {
  const found = new RegExp(String.raw`--${token}: light-dark\((#\w{6}), (#\w{6})\)`).exec(css);
  return found?.slice(1) ?? [];
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.039_28 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ['page', 'panel', 'raised', 'inset', 'hover', 'selected', 'accent-tint'];

it.each(['ink', 'soft', 'faint', 'muted'])('%s can be read on each surface, in both themes', (text) => {
  expect(colours(text)).toHaveLength(2);
  for (const surface of surfaces) {
    const backgrounds = colours(surface);
    for (const [theme, colour] of colours(text).entries())
      expect(contrast(colour, backgrounds[theme] ?? ''), `${surface}, theme ${theme}`).toBeGreaterThanOrEqual(4.5);
  }
});
