import type { LanguageModel } from '@halyard/core';
import { demoModel } from '@halyard/example-model';
import { createQuickstart } from '@halyard/example-quickstart';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { openBrowser } from './open-browser.ts';

export interface OpenedPage {
  readonly page: Page;
  readonly url: string;
  /** Errors of the page and requests to other hosts. */
  readonly problems: string[];
}

export interface Quickstarts {
  /** Opens a page of a new quickstart, which is closed after the test. */
  open: (path: string, model?: LanguageModel) => Promise<OpenedPage>;
  /** Opens a page of a server that runs already. */
  openAt: (url: string, path: string) => Promise<OpenedPage>;
  /** Runs after the test. */
  afterTest: (close: () => Promise<unknown>) => void;
}

/** A browser for the tests of one file. */
export function useQuickstarts(): Quickstarts {
  let browser: Browser;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  const openAt = async (url: string, path: string): Promise<OpenedPage> => {
    const page = await browser.newPage({ viewport: { width: 1100, height: 760 }, colorScheme: 'light' });
    closing.push(() => page.close());
    const problems = watch(page, url);
    await page.goto(url + path);
    return { page, url, problems };
  };
  return {
    openAt,
    afterTest: (close) => closing.push(close),
    open: async (path, model = demoModel({ delayMs: 1 })) => {
      const server = await createQuickstart(model, createInMemoryStorage(), { logger: false, signals: false });
      closing.push(() => server.close());
      return openAt(await server.listen({ port: 0 }), path);
    },
  };
}

function watch(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on(
    'request',
    (request) =>
      !/^(data:|blob:)/.test(request.url()) &&
      !request.url().startsWith(url) &&
      problems.push(`request to ${request.url()}`),
  );
  return problems;
}

/** Saves pictures of a page in both themes, on a phone and on a desktop, in the folder `SCREENSHOTS`. */
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
