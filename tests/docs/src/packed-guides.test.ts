import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { copyGuides } from '../../../docs/.vitepress/copy-guides.ts';
import { readBlocks } from './documents.ts';

const folder = await mkdtemp(join(tmpdir(), 'halyard-guides-'));
afterAll(() => rm(folder, { recursive: true }));
copyGuides(folder);
const pages = globSync('**/*.md', { cwd: folder });

it('the package core contains guides, workflows, recipes and the table of errors', () => {
  expect(pages).toEqual(
    expect.arrayContaining(['README.md', 'agents.md', 'errors.md', 'workflows/steps.md', 'recipes/slack-bot.md']),
  );
  expect(pages.filter((page) => /^(decisions|http|api)\//.test(page))).toEqual([]);
});

it('packed guides link only to packed files and to addresses', () => {
  const broken = pages.flatMap((page) => {
    const { prose } = readBlocks({ path: page, lines: readFileSync(join(folder, page), 'utf8').split('\n') });
    return prose
      .flatMap((text) => [...text.matchAll(/\]\(([^\s)#]+)/g)].map(([, target = '']) => target))
      .filter((target) => !/^https?:/.test(target) && !existsSync(join(folder, dirname(page), target)))
      .map((target) => `${page}: ${target}`);
  });
  expect(broken).toEqual([]);
});

it('packed guides have no image above 100 KB, and at most 1.5 MB in all', () => {
  const sizes = globSync('**/*.*', { cwd: folder }).map((file) => statSync(join(folder, file)).size);
  expect(
    Math.max(...globSync('images/*', { cwd: folder }).map((file) => statSync(join(folder, file)).size)),
  ).toBeLessThanOrEqual(100 * 1024);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(1.5 * 1024 * 1024);
});
