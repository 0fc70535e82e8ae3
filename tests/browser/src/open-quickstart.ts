import type { BusyPolicy, LanguageModel } from '@halyard/core';
import { demoModel } from '@halyard/example-demo-model';
import { createQuickstart } from '@halyard/example-quickstart';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { closePages, openBrowser } from './open-browser.ts';
import { openStorage } from './open-storage.ts';

export interface OpenedPage {
  readonly page: Page;
  readonly url: string;
  /** Errors of the page and requests to other hosts. */
  readonly problems: string[];
}

interface QuickstartSettings extends BrowserContextOptions {
  /** The policy for a message that arrives during a reply. */
  readonly onBusy?: BusyPolicy;
  /** Returns the address under which the browser reaches the server, such as that of a proxy. */
  readonly through?: (url: string) => Promise<string>;
}

export interface Quickstarts {
  /** Opens a page of a new quickstart, which is closed after the test. */
  open: (path: string, model?: LanguageModel, settings?: QuickstartSettings) => Promise<OpenedPage>;
  /** Opens a page of a server that runs already. */
  openAt: (url: string, path: string, settings?: BrowserContextOptions) => Promise<OpenedPage>;
  /** Runs after the test. */
  afterTest: (close: () => Promise<unknown>) => void;
}

/** How long an action of a page may take, also on a machine that is busy with other programs. */
const patienceMs = 180_000;

/** A phone in portrait. */
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 700 },
  hasTouch: true,
  isMobile: true,
};

/** A browser for the tests of one file. */
export function useQuickstarts(): Quickstarts {
  let browser: Browser;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => closePages(browser));
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  const openAt = async (url: string, path: string, settings: BrowserContextOptions = {}): Promise<OpenedPage> => {
    const context = await browser.newContext({
      viewport: { width: 1100, height: 760 },
      colorScheme: 'light',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...settings,
    });
    closing.push(() => context.close());
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const problems = watch(page, url);
    await page.goto(url + path);
    return { page, url, problems };
  };
  return {
    openAt,
    afterTest: (close) => closing.push(close),
    open: async (path, model = demoModel({ delayMs: 1 }), { onBusy, through, ...settings } = {}) => {
      const server = await createQuickstart(model, openStorage(), { logger: false, onBusy, signals: false });
      closing.push(() => server.close());
      const url = await server.listen({ port: 0 });
      return openAt(through === undefined ? url : await through(url), path, settings);
    },
  };
}

function watch(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on(
    'console',
    (message) => message.type() === 'error' && problems.push(`${message.text()} ${message.location().url}`),
  );
  page.on(
    'request',
    (request) =>
      !/^(data:|blob:)/.test(request.url()) &&
      !request.url().startsWith(url) &&
      problems.push(`request to ${request.url()}`),
  );
  return problems;
}

/** Sends a message in the chat page. */
export async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Until no answer is being generated. */
export function ended(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Send' }).waitFor();
}

/** Sends a message in the chat page, and waits until its answer is complete. */
export async function ask(page: Page, text: string): Promise<void> {
  const answers = await page.locator('.answer').count();
  await send(page, text);
  await page.locator('.answer').nth(answers).waitFor();
  await ended(page);
}

/**
 * Saves pictures of a page in both themes, on a phone and on a desktop, in the folder
 * `SCREENSHOTS`.
 */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
  }
}
