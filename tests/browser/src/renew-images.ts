// Takes the pictures of the README and the guides again, with the examples as they are now:
// `pnpm images`. Look at them before you commit them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser } from './open-browser.ts';
import { ask, ended, send } from './open-quickstart.ts';

const root = resolve(import.meta.dirname, '../../..');
const images = join(root, 'docs/images');
const viewport = { width: 1280, height: 800 };

const folder = mkdtempSync(join(tmpdir(), 'halyard-images-'));
const children: ChildProcess[] = [];
try {
  await takeChat(await openPage(await start('quickstart')));
  await takeHarbour(await openPage(await start('with-vite-chat')));
  await takeConsole(await openPage(`${await start('support-desk')}/console`));
} finally {
  for (const child of children) {
    if (child.exitCode !== null) continue;
    child.kill();
    await once(child, 'exit');
  }
  await (await openBrowser()).close();
  rmSync(folder, { recursive: true });
}

/** Starts an example with the demo model and an empty database. Returns its address. */
async function start(example: string): Promise<string> {
  const program = join(root, `examples/${example}/src/main.ts`);
  const data = join(folder, example);
  const child = spawn(process.execPath, ['--conditions=@halyard/source', program, '--port=0', `--data-dir=${data}`], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'development' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let text = '';
  return new Promise((resolveUrl, reject) => {
    child.once('exit', () => reject(new TypeError(`${example} did not start`)));
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      const url = /http:\/\/\S+?:\d+/.exec((text += part))?.[0];
      if (url !== undefined) resolveUrl(url);
    });
  });
}

async function openPage(url: string): Promise<Page> {
  const context = await (await openBrowser()).newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled', caret: 'hide' });
  console.log(name);
}

async function takeChat(page: Page): Promise<void> {
  await page.goto(new URL('/chat', page.url()).href);
  for (const text of ['Convert 26.2 miles to kilometres', 'Note: buy oars']) {
    await ask(page, text);
    await page.getByRole('button', { name: 'New conversation' }).click();
  }
  await ask(page, 'What time is it in Tokyo?');
  await page.locator('.tool summary').click();
  await send(page, 'Delete all notes');
  await page.getByText('Run deleteNotes?').waitFor();
  await page.setViewportSize({ ...viewport, height: 872 });
  await take(page, 'chat');
}

async function takeHarbour(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'When is high water in Falmouth today?' }).click();
  await page.getByRole('img', { name: /high water/ }).waitFor();
  await ended(page);
  await ask(page, 'Which berths are free?');
  await page.setViewportSize({ ...viewport, height: 844 });
  await take(page, 'vite-chat');
}

async function takeConsole(page: Page): Promise<void> {
  const consoleUrl = page.url().replace(/\/$/, '');
  await page.goto(`${consoleUrl}?range=14d`);
  await page.getByRole('heading', { name: 'Over time' }).waitFor();
  await page.waitForLoadState('networkidle');
  await take(page, 'console-overview');

  // A question that the front desk hands to an expert, who calls a tool.
  await page.goto(`${consoleUrl}/traces?agentId=front-desk&toolName=trackParcel&status=ok`);
  await page.getByRole('link', { name: 'Front desk' }).first().click();
  // Its lines are marked.
  await page.getByText('Result of a tool').first().hover();
  await take(page, 'console-trace');

  await page.goto(`${consoleUrl}/executions?status=suspended`);
  await page.getByRole('link', { name: 'refund-' }).first().click();
  await page.getByText('Waits for an answer').waitFor();
  // No run of the list is pointed at.
  await page.mouse.move(0, 0);
  await page.setViewportSize({ ...viewport, height: 1_000 });
  await page.getByText('Apply the rules').waitFor();
  await take(page, 'console-execution');
}
