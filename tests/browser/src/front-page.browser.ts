import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const docs = resolve(import.meta.dirname, '../../../docs');
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const { openAt } = useQuickstarts();
let folder: string;
let server: Server;
let url: string;

/** The site with its first page only: the others need the generated references. */
beforeAll(async () => {
  folder = mkdtempSync(join(docs, '.front-page-'));
  mkdirSync(join(folder, '.vitepress/theme'), { recursive: true });
  for (const path of ['index.md', 'images', 'public'])
    cpSync(join(docs, path), join(folder, path), { recursive: true });
  const theme = JSON.stringify(join(docs, '.vitepress/theme/index.ts'));
  writeFileSync(join(folder, '.vitepress/theme/index.ts'), `export { default } from ${theme};`);
  const config = {
    ignoreDeadLinks: true,
    markdown: { theme: { light: 'github-light-default', dark: 'github-dark-default' } },
    head: [['link', { rel: 'icon', href: '/icon.svg' }]],
    vite: { logLevel: 'warn', esbuild: { tsconfigRaw: { compilerOptions: { target: 'es2022' } } } },
  };
  writeFileSync(join(folder, '.vitepress/config.ts'), `export default ${JSON.stringify(config)};`);
  // Vitest's environment would lead the build to other packages.
  await promisify(execFile)(join(docs, 'node_modules/.bin/vitepress'), ['build', folder], {
    // VitePress links Vue into the package of this folder.
    cwd: docs,
    env: { PATH: process.env['PATH'] },
  });
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = join(folder, '.vitepress/dist', path === '/' ? 'index.html' : path);
    response.setHeader('content-type', contentTypes[extname(file)] ?? 'application/octet-stream');
    response.end(readFileSync(file));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  server.close();
});

describe.each([
  ['a phone', phone],
  ['a desktop', {}],
])('the story of an approval on %s', (_name, settings) => {
  it('stands still for a person who wants no motion, and shows the line that is chosen', async () => {
    const { page, problems } = await openAt(url, '/', { reducedMotion: 'reduce', ...settings });
    const story = page.getByRole('region', { name: 'Asked on Monday, approved on Tuesday' });
    await story.locator('[aria-current=step]', { hasText: 'audit trail' }).waitFor();
    await story.getByRole('button', { name: 'Play again' }).waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    await story.getByRole('button', { name: /lowers the amount/ }).focus();
    await page.keyboard.press('Enter');
    await story.getByText('Your approval is needed').waitFor();
    expect(await story.getByText('You approved this request.').isVisible()).toBe(false);
    await takeScreenshots(page, 'front-page');
    expect(problems).toEqual([]);
  });

  it('plays when it is seen, pauses, and goes on to its end', async () => {
    const { page, problems } = await openAt(url, '/', settings);
    await page.clock.install();
    await page.reload();
    const story = page.getByRole('region', { name: 'Asked on Monday, approved on Tuesday' });
    const current = story.locator('[aria-current=step]');
    await story.scrollIntoViewIfNeeded();
    await story.getByRole('button', { name: 'Pause' }).waitFor();
    await page.clock.runFor(4_000);
    await expect.poll(() => current.textContent()).toContain('needs a manager');

    await story.getByRole('button', { name: 'Pause' }).click();
    await page.clock.runFor(60_000);
    expect(await current.textContent()).toContain('needs a manager');
    await story.getByRole('button', { name: 'Play' }).click();
    await page.clock.runFor(60_000);
    await expect.poll(() => current.textContent()).toContain('audit trail');
    await story.getByText('Your money is on its way').waitFor();
    await story.getByRole('button', { name: 'Play again' }).click();
    await expect.poll(() => current.textContent()).toContain('Ada asks');
    expect(problems).toEqual([]);
  });
});
