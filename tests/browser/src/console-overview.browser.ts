import type { SpanRecord } from '@halyard/contracts';
import { createServer } from '@halyard/server-fastify';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const { afterTest, open, openAt } = useQuickstarts();
const hostile = '<img src=x onerror="document.title=1">';
const minute = 60_000;

it('says on a new server what to do, and shows the first run as soon as it has ended', async () => {
  const { page, problems, url } = await open('/console/');
  await page.getByRole('heading', { name: 'No run has been recorded yet' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Talk to Assistant' }).click();
  await page.waitForURL(/playground\?agentId=assistant/);
  await page.goBack();

  await fetch(`${url}/agents/assistant/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hello' }),
  });
  await figure(page, 'Requests').getByText('1', { exact: true }).waitFor();
  await page.getByRole('row', { name: /^assistant/ }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('leads from the newest runs to their story, by the names of their agents', async () => {
  const { page, url } = await open('/console/');
  await fetch(`${url}/agents/assistant/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'مرحبا 12, Oslo' }),
  });
  const row = page.getByRole('listitem').filter({ hasText: 'مرحبا' });
  await row.waitFor();
  expect(await row.getByText('مرحبا').evaluate((element) => element.matches(':dir(rtl)'))).toBe(true);
  await row.getByRole('link', { name: 'Assistant' }).click();
  await page.getByRole('list', { name: 'Story' }).getByText('Assistant was asked').waitFor();
});

it('draws charts in their colours for a person who wants no motion', async () => {
  const { page } = await openAt(await seededServer(), '/console/?range=1h', { reducedMotion: 'reduce' });
  const hasColour = (): Promise<boolean> =>
    page
      .locator('canvas')
      .first()
      .evaluate((element) => {
        const canvas = element as unknown as {
          width: number;
          height: number;
          getContext: (kind: '2d') => {
            getImageData: (x: number, y: number, width: number, height: number) => { data: Uint8ClampedArray };
          };
        };
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        // Bars of the first series are much more blue than red; text and lines are not.
        return data.some((red, at) => at % 4 === 0 && data[at + 3] === 255 && (data[at + 2] ?? 0) - red > 100);
      });
  await expect.poll(hasColour).toBe(true);
});

it('shows the work of the server, and leads from each number to the runs', async () => {
  const { page, problems } = await openAt(await seededServer(), '/console/?range=1h');
  await figure(page, 'Requests').getByText('12', { exact: true }).waitFor();
  await figure(page, 'Errors').getByText('3', { exact: true }).waitFor();
  await figure(page, 'Tokens').getByText('1,440', { exact: true }).waitFor();
  await figure(page, 'Cost').getByText('$3.00', { exact: true }).waitFor();
  await expectAccessible(page);
  // The page scrolls, the window around it does not.
  expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
  await takeScreenshots(page, 'console-overview');

  // Names that users chose are text.
  await page.getByRole('row', { name: hostile }).waitFor();
  expect(await page.locator('img').count()).toBe(0);

  await page.getByRole('tab', { name: 'Models' }).click();
  await page.waitForURL(/by=model/);
  await page.getByRole('row', { name: /^small.* 12 / }).waitFor();
  await page.getByRole('tab', { name: 'Users' }).click();
  await page.getByRole('row', { name: /^ada/ }).getByRole('link', { name: '9' }).click();
  await page.waitForURL(/runs\?.*userId=ada/);
  await page.getByRole('table', { name: 'Runs' }).and(page.locator('[aria-rowcount="9"]')).waitFor();
  await page.goBack();
  await figure(page, 'Errors').click();
  await page.waitForURL(/runs\?.*status=error/);

  // The trace says what its calls of models cost.
  await page.getByRole('link', { name: hostile }).first().click();
  await page.getByText('$0.25', { exact: true }).first().waitFor();
  expect(problems.join('\n')).toBe('');
});

it('counts in each number of the breakdown what its list contains', async () => {
  const { page, problems } = await openAt(await seededServer(), '/console/?range=1h');
  let count = 0;
  for (const by of ['agent', 'workflow', 'model', 'user']) {
    await page.goto(`${new URL(page.url()).origin}/console/?range=1h&by=${by}`);
    const numbers = page.getByRole('region', { name: `By ${by}` }).locator('td a');
    await page.getByRole('heading', { name: 'Breakdown' }).waitFor();
    for (const [index, text] of (await numbers.allTextContents()).entries()) {
      await numbers.nth(index).click();
      await page.waitForURL(/\/runs\?/);
      await page
        .getByRole('table', { name: 'Runs' })
        .and(page.locator(`[aria-rowcount="${text}"]`))
        .waitFor();
      await page.goBack();
      await page.waitForURL(/\/console\/\?/);
      count += 1;
    }
  }
  // Two agents, one model and two users, each with calls and one of them with errors.
  expect(count).toBe(8);
  expect(problems.join('\n')).toBe('');
});

it('groups failures by their reason, and leads to the span', async () => {
  const { page, problems } = await openAt(await seededServer(), '/console/failures');
  const reasons = page.getByRole('list', { name: 'Failures by reason' });
  await reasons.getByText(hostile).first().waitFor();
  expect(await page.locator('img').count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-failures');
  await page.setViewportSize({ width: 390, height: 700 });
  await expectAccessible(page);
  await reasons.getByRole('link', { name: hostile }).first().click();
  await page.waitForURL(/traces\/.*span=/);
  await page.getByText('2 of 2 spans failed').waitFor();
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

it('reads the values of charts by mouse, by keyboard and as a table', async () => {
  const { page, problems } = await openAt(await seededServer(), '/console/?range=1h');
  const chart = page.getByRole('slider', { name: /^Requests/ });
  const figureOf = page.getByRole('figure', { name: 'Requests' });
  await chart.locator('canvas').waitFor();
  await chart.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuenow')).toBe('58');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/: Requests 0, Errors 0$/);
  // The other charts show the same time.
  const latency = page.getByRole('slider', { name: /^Latency/ });
  expect(await latency.getAttribute('aria-valuetext')).toMatch(/: p95 –, Median –$/);
  await page.keyboard.press('Escape');
  expect(await chart.getAttribute('aria-valuetext')).toBe('no time chosen');

  const box = await chart.boundingBox();
  const place = { x: 0, y: 0, width: 0, height: 0, ...box };
  const texts = new Set<string | null>();
  for (let share = 0.7; share < 1; share += 0.008) {
    await page.mouse.move(place.x + place.width * share, place.y + 60);
    texts.add(await figureOf.getByRole('listitem').first().textContent());
  }
  expect([...texts]).toContain('Requests 12');

  await page.getByRole('button', { name: 'Show values' }).press('Enter');
  await page.waitForURL(/show=values/);
  const values = figureOf.getByRole('row');
  await values.first().waitFor();
  expect(await values.count()).toBe(61);
  await figureOf.getByRole('row', { name: / 12 3$/ }).waitFor();
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

it('narrows the page to a part of the time, by dragging and by keyboard', async () => {
  const { page, problems } = await openAt(await seededServer(), '/console/?range=6h');
  await figure(page, 'Requests').getByText('12', { exact: true }).waitFor();
  const chart = page.getByRole('slider', { name: /^Requests/ });
  await chart.locator('canvas').waitFor();
  const box = await chart.boundingBox();
  const place = { x: 0, y: 0, width: 0, height: 0, ...box };
  // The first half of the time, in which nothing ran.
  await page.mouse.move(place.x + place.width * 0.2, place.y + 60);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width * 0.5, place.y + 60, { steps: 8 });
  await page.mouse.up();
  await page.waitForURL(/from=.*to=/);
  await figure(page, 'Requests').getByText('0', { exact: true }).waitFor();
  await expectAccessible(page);
  // Back shows the whole time again.
  await page.goBack();
  await figure(page, 'Requests').getByText('12', { exact: true }).waitFor();

  await chart.focus();
  await page.keyboard.press('End');
  for (let count = 0; count < 20; count += 1) await page.keyboard.press('Shift+ArrowLeft');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/^21 times from /);
  await page.keyboard.press('Enter');
  await page.waitForURL(/from=.*to=/);
  await figure(page, 'Requests').getByText('12', { exact: true }).waitFor();
  await figure(page, 'Errors').getByText('3', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'By reason' }).click();
  await page.waitForURL(/failures.*from=/);
  await page.getByRole('list', { name: 'Failures by reason' }).waitFor();
  await page.getByRole('button', { name: 'Show the last 6 hours' }).click();
  await page.waitForURL((address) => !address.search.includes('from='));
  expect(problems.join('\n')).toBe('');
});

it('says with which time it compares', async () => {
  const storage = openStorage();
  const now = Math.floor(Date.now() / minute) * minute;
  const before = [run(1, now - 90 * minute), run(2, now - 10 * minute), run(3, now - 10 * minute)];
  await storage.telemetry?.write({ spans: before.flat(), logs: [] });
  const server = await createServer({ storage, logger: false, signals: false });
  afterTest(() => server.close());
  const { page, problems } = await openAt(await server.listen({ port: 0 }), '/console/?range=1h');
  await figure(page, 'Requests').getByText('up 100 %').waitFor();
  await page.getByText(/^Changes compare with the time before: .*\d\d:\d\d\s?–\s?\d\d:\d\d$/).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('compares no number with a time that had almost no runs', async () => {
  const storage = openStorage();
  const now = Math.floor(Date.now() / minute) * minute;
  const recent = Array.from({ length: 12 }, (_, index) => run(index + 2, now - 10 * minute));
  await storage.telemetry?.write({ spans: [run(1, now - 90 * minute), ...recent].flat(), logs: [] });
  const server = await createServer({ storage, logger: false, signals: false });
  afterTest(() => server.close());
  const { page } = await openAt(await server.listen({ port: 0 }), '/console/?range=1h');
  await figure(page, 'Median latency').getByText('p95').waitFor();
  expect(await page.getByText(/^Changes compare/).count()).toBe(0);
});

it('fits on a phone in both themes', async () => {
  const { page, problems } = await openAt(await seededServer(), '/console/?range=1h', {
    ...phone,
    viewport: { width: 400, height: 800 },
    colorScheme: 'dark',
  });
  await figure(page, 'Requests').getByText('12', { exact: true }).waitFor();
  await page.locator('canvas').first().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400);
  const main = page.getByRole('main');
  expect(await main.evaluate(({ clientWidth, scrollWidth }) => scrollWidth - clientWidth)).toBe(0);
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});

function figure(page: Page, name: string) {
  return page.getByRole('main').getByRole('link', { name: new RegExp(`^${name}`) });
}

/** 12 runs ten minutes ago: 9 by Ada, 3 by somebody with a hostile name, which failed. */
async function seededServer(): Promise<string> {
  const storage = openStorage();
  const startTime = Math.floor(Date.now() / minute) * minute - 10 * minute;
  const spans = Array.from({ length: 12 }, (_, index) => run(index + 1, startTime)).flat();
  await storage.telemetry?.write({ spans, logs: [] });
  const server = await createServer({ storage, logger: false, signals: false });
  afterTest(() => server.close());
  return server.listen({ port: 0 });
}

function run(number: number, startTime: number): readonly SpanRecord[] {
  const isHostile = number % 4 === 0;
  const agent = isHostile ? hostile : 'support';
  const entry: SpanRecord = {
    traceId: `${number}`.padStart(32, '0'),
    spanId: `${number}`.padStart(16, '0'),
    parentSpanId: null,
    isEntry: true,
    name: `invoke_agent ${agent}`,
    kind: 0,
    startTime,
    endTime: startTime + 100 * number,
    attributes: { 'entity.type': 'agent', 'entity.id': agent, 'user.id': isHostile ? hostile : 'ada' },
    status: isHostile ? { code: 2, message: hostile } : { code: 1 },
    events: [],
    links: [],
    resource: {},
    instrumentationScope: { name: 'test' },
  };
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'small',
    'gen_ai.agent.id': agent,
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
    'gen_ai.usage.cost': 0.25,
  };
  return [entry, { ...entry, spanId: `${number}`.padStart(16, 'a'), isEntry: false, attributes }];
}
