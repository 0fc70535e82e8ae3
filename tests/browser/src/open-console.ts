import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The part of an animation of the page that is used here. */
interface Fading {
  readonly effect: { readonly getComputedTiming: () => { readonly endTime: number } } | null;
  readonly finished: Promise<unknown>;
}

/** Expects that `axe-core` finds nothing serious on the page as it is shown now. */
export async function expectAccessible(page: Page): Promise<void> {
  // Next.js sends the title after the content.
  await expect.poll(() => page.title(), { timeout: 90_000 }).not.toBe('');
  await page.evaluate(await readFile(axePath, 'utf8'));
  const found = await page.evaluate(async () => {
    // Text that fades in has too little contrast until it is there.
    const { document } = globalThis as unknown as {
      readonly document: { readonly getAnimations: () => readonly Fading[] };
    };
    const fading = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(fading.map(({ finished }) => finished));
    const { axe } = globalThis as unknown as { readonly axe: { run: () => Promise<AxeResults> } };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 5).map(({ html }) => html.slice(0, 160)) }));
  });
  expect(found).toEqual([]);
}
