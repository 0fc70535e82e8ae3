import { type Browser, chromium } from 'playwright-core';

let opened: Promise<Browser> | undefined;

/**
 * Debian's Chromium without background traffic, for all test files that this process runs: starting
 * it takes seconds of computing. It ends with the process. `CHROMIUM` overrides the path.
 */
export function openBrowser(): Promise<Browser> {
  opened ??= chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return opened;
}

/** Closes the pages of a test file. */
export async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close();
}
