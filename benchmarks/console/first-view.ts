import { type Browser, chromium } from 'playwright-core';
import { startMeasuredServer } from './measured-server.ts';
import { longTraceId } from './sample-runs.ts';

/*
 * Measures how soon the console shows something, in a browser that has nothing of it: the overview of a server with 2 000 runs of 14 days, and a trace of 10 000 spans.
 * All times begin with the navigation. A trace is also opened from the list, as people do.
 * Run: node --conditions=@halyard/source benchmarks/console/first-view.ts [runs] [postgres://…]
 */
const [runs = '3', connectionString] = process.argv.slice(2);
const server = await startMeasuredServer(
  '2000',
  '10000',
  ...(connectionString === undefined ? [] : [connectionString]),
);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
for (let run = 0; run < Number(runs); run += 1) {
  const overview = await open(browser, 'console/?range=14d', 'main a[href*="/runs"] svg');
  const trace = await open(browser, `console/traces/${longTraceId}`, '[aria-label=Story] li');
  const fromList = await openFromList(browser);
  console.log({ overview, trace, fromList });
}
await browser.close();
await server.stop();

interface Opened {
  /** Milliseconds until the browser painted anything of the page, and until the data was there. */
  readonly painted: number;
  readonly data: number;
  readonly kilobytes: number;
}

async function open(from: Browser, path: string, selector: string): Promise<Opened> {
  const context = await from.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(watch(selector));
  await page.goto(`${server.url}/${path}`);
  // The browser reports a paint some time after it.
  const opened = await page.evaluate<Opened>(`Promise.all([globalThis.shown, new Promise((resolve) => {
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
    }).observe({ type: 'paint', buffered: true });
  })]).then(([shownAt, paintedAt]) => ({
    painted: Math.round(paintedAt),
    data: Math.round(shownAt),
    kilobytes: Math.round(performance.getEntriesByType('resource').reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000),
  }))`);
  await context.close();
  return opened;
}

/** Milliseconds from the key that opens the trace in the list until its first spans are painted. */
async function openFromList(from: Browser): Promise<number> {
  const context = await from.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${server.url}/console/traces?q=span+0`);
  const link = page.getByRole('link', { name: 'span 0' });
  await link.focus();
  const begun = await page.evaluate<number>(`${watch('[aria-label=Story] li')} performance.now()`);
  await page.keyboard.press('Enter');
  const shownAt = await page.evaluate<number>('globalThis.shown');
  await context.close();
  return Math.round(shownAt - begun);
}

/** A script for the page: notes when an element that matches is painted. */
function watch(selector: string): string {
  return `globalThis.shown = new Promise((resolve) => {
    const look = () => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) requestAnimationFrame(look);
      else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    };
    requestAnimationFrame(look);
  });`;
}
