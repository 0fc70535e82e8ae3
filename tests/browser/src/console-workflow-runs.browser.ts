import { expect, it } from 'vitest';
import { run, startServer, state } from './claim-server.ts';
import { expectAccessible } from './open-console.ts';
import { phone, takeScreenshots, useQuickstarts } from './open-quickstart.ts';

const pages = useQuickstarts();
const hostile = '<img src=x onerror=alert(1)>';

it('shows the runs of a workflow beside its graph, live, and the waiting step as a card', async () => {
  const url = await startServer(pages);
  const { page, problems } = await pages.openAt(url, '/console/workflows/claim');
  const runs = page.getByRole('navigation', { name: 'Runs' });
  await runs.getByText('It has not run yet').waitFor();
  await run(url, { cents: 4_000, customer: hostile }, { executionId: 'large' });
  await runs.getByRole('link', { name: /large/ }).click();
  await page.getByRole('heading', { name: `${hostile} claims 4000` }).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  await page.getByRole('button', { name: /^suspended approve/ }).waitFor();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Yes' }).check();
  await page.getByLabel('by').fill('Grace');
  await page.getByRole('button', { name: 'Resume' }).click();
  await state(page, 'completed');
  await runs.getByRole('link', { name: /^completed large/ }).waitFor();

  // The same again: the form has the input of this run.
  await page.getByRole('link', { name: 'Run again' }).click();
  await page.getByRole('heading', { name: 'Start with the input of large' }).waitFor();
  expect(await page.getByLabel('customer').inputValue()).toBe(hostile);
  await page.getByLabel('cents').fill('10');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await state(page, 'completed');
  await expect.poll(() => runs.getByRole('listitem').count()).toBe(2);
  expect(problems.join('\n')).toBe('');
});

it('goes back through the moments of an execution, whose graph shows the steps as they were', async () => {
  const url = await startServer(pages);
  await run(url, { cents: 3_000 }, { executionId: 'old' });
  const { page, problems } = await pages.openAt(url, '/console/executions/claim/old');
  const slider = page.getByRole('slider', { name: 'Moment of the execution' });
  await page.getByRole('button', { name: /^suspended approve/ }).waitFor();
  await slider.focus();
  await page.keyboard.press('Home');
  await page.getByText('The execution started', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^idle approve/ }).waitFor();
  await page.getByRole('button', { name: /^idle merge/ }).waitFor();
  // What waits now did not wait then.
  expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  await page.waitForURL(/at=%221%22/);

  const text = async (): Promise<string> => (await slider.getAttribute('aria-valuetext')) ?? '';
  while (!(await text()).includes('“merge” started')) await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: /^running merge/ }).waitFor();
  await page.waitForURL(/at=%22([2-9]|\d\d)%22/);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-moment');
  // A link leads to the moment.
  await page.reload();
  await page.getByRole('button', { name: /^running merge/ }).waitFor();
  await page.getByRole('button', { name: /^running merge/ }).click();
  const panel = page.getByRole('complementary', { name: 'Step merge' });
  expect(await panel.getByText('Output').count()).toBe(0);
  await page.getByRole('button', { name: 'The next moment' }).click();
  await panel.getByRole('heading', { name: 'Output' }).waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.waitForURL((address) => !address.searchParams.has('at'));
  expect(problems.join('\n')).toBe('');
});

it('draws rewinds and replays, and compares a replay with its source', async () => {
  const url = await startServer(pages);
  await run(url, { cents: 3_000 }, { executionId: 'old' });
  const { page, problems } = await pages.openAt(url, '/console/executions/claim/old');
  await page.getByRole('button', { name: 'Rewind' }).click();
  await page.getByLabel('From the step').selectOption('merge');
  await page.getByRole('button', { name: 'Rewind and run' }).click();
  await page.getByRole('list', { name: 'Rewinds' }).getByText('Rewound to “merge”').waitFor();
  await state(page, 'suspended');

  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByLabel('From the step').selectOption('merge');
  await page.getByText('Change the data that').click();
  await page.getByRole('textbox', { name: 'JSON' }).fill('[{ "name": "Bob" }, { "cents": 7, "kind": "repair" }]');
  await page.getByRole('button', { name: 'Start the replay' }).click();
  await state(page, 'completed');

  const runs = page.getByRole('navigation', { name: 'Runs' });
  await runs.getByText('replay', { exact: true }).waitFor();
  await runs.getByRole('link', { name: /old/ }).first().click();
  const replays = page.getByRole('list', { name: 'Replays' });
  await replays.getByRole('img', { name: 'completed' }).waitFor();
  // The jump leads to the moment before the rewind.
  await page.getByRole('button', { name: 'Rewound to “merge”' }).click();
  await page.getByText('Waits: Ada claims 3000').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-forks');
  await replays.getByRole('link', { name: 'compare' }).click();
  await page.getByText(/of \d+ steps differ/).waitFor();
  await expectAccessible(page);

  // Any other run can be compared, too.
  await run(url, { cents: 5 }, { executionId: 'third' });
  await runs.getByRole('link', { name: 'Compare old with third' }).click();
  await page.waitForURL(/right=third/);
  expect(problems.join('\n')).toBe('');
});

it('has the runs above the graph on a phone', async () => {
  const url = await startServer(pages);
  await run(url, { cents: 4_000 }, { executionId: 'large' });
  const { page, problems } = await pages.openAt(url, '/console/workflows/claim', {
    ...phone,
    viewport: { width: 400, height: 800 },
    colorScheme: 'dark',
  });
  await page.getByRole('navigation', { name: 'Runs' }).getByRole('link', { name: /large/ }).click();
  const card = await page.getByRole('heading', { name: 'Ada claims 4000' }).boundingBox();
  const graph = await page.getByText('in parallel').boundingBox();
  expect(card?.y).toBeLessThan(graph?.y ?? 0);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(400);
  await expectAccessible(page);
  expect(problems.join('\n')).toBe('');
});
