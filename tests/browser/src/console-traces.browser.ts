import { readFile } from 'node:fs/promises';
import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type ServerOptions } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { expectAccessible } from './open-console.ts';
import { takeScreenshots, useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const pages = useQuickstarts();
/** A page may take a while on a busy machine. */
const eventually = { timeout: 90_000 };
const hostile = '<img src=x onerror=alert(1)>';

const weather = createTool({
  name: 'weather',
  description: 'Tells the weather',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }, { logger }) => {
    logger.warn({ city }, 'asked for the weather');
    return `Rain in ${city}`;
  },
});

function createAgent(): Agent {
  const call = { toolCalls: [{ toolName: 'weather', input: { city: hostile } }] };
  const answer = `It rains. ${hostile}`;
  // For each of four questions.
  const model = scriptedModel(call, answer, call, answer, call, answer, call, answer);
  return new Agent({ id: 'forecaster', model, tools: [weather] });
}

async function start(options: Partial<ServerOptions> = {}): Promise<string> {
  const server = await createServer({
    agents: [createAgent()],
    storage: openStorage(),
    logger: { level: 'info', stream: { write: () => {} } },
    ...options,
  });
  pages.afterTest(() => server.close());
  return server.listen({ port: 0 });
}

async function ask(url: string, headers: Record<string, string> = {}, userId = 'ada'): Promise<void> {
  const response = await fetch(`${url}/agents/forecaster/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ input: `Weather in ${hostile}?`, options: { userId } }),
  });
  expect(response.status).toBe(200);
}

it('lists runs as they happen, and shows one with its messages, by mouse and by keyboard', async () => {
  const url = await start();
  const { page, problems } = await pages.openAt(url, '/console/traces');
  await page.getByText('No run has been recorded yet').waitFor();
  await expectAccessible(page);
  await ask(url);

  // The page is open already: it finds the run itself.
  await page.getByRole('link', { name: 'forecaster' }).waitFor();
  const row = page.getByRole('row', { name: 'forecaster' });
  await row.getByText(`Weather in ${hostile}?`).waitFor();
  await row.getByText('ada', { exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('nothing like this');
  await page.getByText('No trace matches').waitFor();
  await page.getByRole('searchbox').fill('weather IN <img');
  await page.getByRole('link', { name: 'forecaster' }).waitFor();
  await page.setViewportSize({ width: 400, height: 700 });
  await row.getByText(`Weather in ${hostile}?`).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.setViewportSize({ width: 1100, height: 760 });
  expect(new URL(page.url()).searchParams.get('q')).toBe('weather IN <img');
  await expectAccessible(page);
  await takeScreenshots(page, 'console-traces');
  await page.getByRole('link', { name: 'forecaster' }).click();
  await page.getByRole('tab', { name: 'Spans' }).click();
  await page.getByRole('treeitem', { name: 'weather' }).waitFor();
  await page.getByRole('list', { name: 'Legend' }).getByText('Tool').waitFor();
  await page.getByText(`Weather in ${hostile}?`).first().waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-trace');

  await page.getByRole('tree').focus();
  for (const _ of [1, 2]) await page.keyboard.press('ArrowDown');
  await page.getByRole('complementary', { name: 'Span execute_tool weather' }).waitFor();
  await page.getByText(`Rain in ${hostile}`).waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(1);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('treeitem').count()).toBeGreaterThan(3);

  await page.getByRole('tab', { name: 'Attributes' }).click();
  await page.getByText('gen_ai.agent.id').waitFor();
  expect(new URL(page.url()).searchParams.get('tab')).toBe('attributes');
  await page.reload();
  await page.getByText('gen_ai.agent.id').waitFor();
  await page.setViewportSize({ width: 390, height: 700 });
  await takeScreenshots(page, 'console-trace-phone');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(problems.join('\n')).toBe('');
});

it('tells a run in plain words, marks the lines of a message, and opens the line that failed', async () => {
  const broken = createTool({
    name: 'refund',
    description: 'Pays money back',
    input: Type.Object({ euros: Type.Number() }),
    execute: () => {
      throw new Error('The bank is closed');
    },
  });
  const voucher = createTool({
    name: 'giveVoucher',
    description: 'Says sorry',
    input: Type.Object({ city: Type.String() }),
    needsApproval: true,
    execute: () => 'Sent',
  });
  const toolCalls = [
    { toolName: 'refund', input: { euros: 59 } },
    { toolName: 'weather', input: { city: hostile } },
  ];
  const model = scriptedModel({ toolCalls }, { toolCalls: [{ toolName: 'giveVoucher', input: { city: 'Rome' } }] });
  const agent = new Agent({ id: 'forecaster', name: 'Forecaster', model, tools: [weather, broken, voucher] });
  const url = await start({ agents: [agent] });
  await ask(url);
  const { page, problems } = await pages.openAt(url, '/console/traces');
  await page.getByRole('link', { name: 'Forecaster' }).click();
  const story = page.getByRole('list', { name: 'Story' });
  const line = (name: string | RegExp) => story.getByRole('button', { name });
  await line(`Forecaster was asked “Weather in ${hostile}?”`).waitFor();
  await line('calls refund, calls weather').waitFor();
  await line(`Called weather(city: ${hostile.slice(0, 10)}`).waitFor();
  await line(/^Called giveVoucher\(city: Rome\).* waits for a person/).waitFor();
  // The failed line is open already.
  const failed = line(/^Called refund\(euros: 59\).* The bank is closed/);
  expect(await failed.getAttribute('aria-expanded')).toBe('true');
  await story.getByText('euros:').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-story');

  // By keyboard: the message, then the lines.
  const isLit = () =>
    line('Called weather').evaluate(
      (row) => row.ownerDocument.defaultView?.getComputedStyle(row.parentElement ?? row).boxShadow !== 'none',
    );
  const result = page.getByRole('region', { name: 'Conversation' }).getByRole('button', { name: 'Result of a tool' });
  expect(await isLit()).toBe(false);
  await result.last().focus();
  await expect.poll(isLit).toBe(true);
  await result.first().hover();
  await expect.poll(isLit).toBe(false);
  await failed.focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => failed.getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await story.getByText(`Rain in ${hostile}`).last().waitFor();
  await page.reload();
  await story.getByRole('button', { name: 'Called weather', expanded: true }).waitFor();
  await page.setViewportSize({ width: 400, height: 760 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await takeScreenshots(page, 'console-story-phone');
  expect(problems.join('\n')).toBe('');
});

it('shows a trace of 10 000 spans, of which only those in view are in the document', async () => {
  const storage = openStorage();
  const [traceId, startTime] = ['a'.repeat(32), Date.now() - 60_000];
  const spans = Array.from({ length: 10_000 }, (_, at) => ({
    traceId,
    spanId: at.toString(16).padStart(16, '0'),
    parentSpanId:
      at === 0
        ? null
        : Math.floor((at - 1) / 10)
            .toString(16)
            .padStart(16, '0'),
    isEntry: at === 0,
    name: `span ${at}`,
    kind: 0 as const,
    startTime: startTime + at,
    endTime: startTime + at + 20,
    status: { code: 0 as const },
    attributes: {},
    events: [],
    links: [],
    resource: {},
    instrumentationScope: { name: 'test' },
  }));
  for (let at = 0; at < spans.length; at += 1_000)
    await storage.telemetry?.write({ spans: spans.slice(at, at + 1_000), logs: [] });
  const { page, problems } = await pages.openAt(await start({ storage }), `/console/traces/${traceId}`);
  await expect.poll(() => page.getByRole('list', { name: 'Story' }).getByRole('button').count()).toBe(200);
  await page.getByRole('button', { name: '9,800 more lines' }).waitFor();
  await page.getByRole('tab', { name: 'Spans' }).click();
  await page.getByRole('treeitem', { name: 'span 0', exact: false }).first().waitFor();
  await page
    .getByText('10,000', { exact: true })
    .or(page.getByText('10K', { exact: true }))
    .first()
    .waitFor();
  expect(await page.getByRole('treeitem').count()).toBeLessThan(120);
  await page.getByRole('tree').focus();
  await page.keyboard.press('End');
  await page.getByRole('complementary', { name: 'Span span ' }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('follows the log, searches it, pauses it, and leads from a line to its trace', async () => {
  const url = await start();
  const { page, problems } = await pages.openAt(url, '/console/logs?level=warn');
  await page.getByText('No line matches').waitFor();
  await ask(url);
  const line = page.getByRole('button', { name: 'asked for the weather' });
  await line.waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await ask(url);
  await page.getByRole('button', { name: 'Continue (1 new)' }).click();
  await expect.poll(() => line.count()).toBe(2);
  await page.keyboard.press('/');
  await page.keyboard.type('nothing like this');
  await page.getByText('No line matches').waitFor();
  await page.getByRole('searchbox').fill('onerror');
  await expect.poll(() => line.count()).toBe(2);
  await line.first().click();
  await takeScreenshots(page, 'console-logs');
  await page.getByRole('link', { name: 'Open the trace' }).click();
  await page.getByRole('list', { name: 'Story' }).waitFor();
  expect(problems.join('\n')).toBe('');
});

it('leaves what consoles read out of the log until that is asked for, and keeps this in the address', async () => {
  const url = await start({ logger: { level: 'debug', stream: { write: () => {} } } });
  const { page, problems } = await pages.openAt(url, '/console/traces');
  await page.getByText('No run has been recorded yet').waitFor();
  await ask(url);
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  const lines = page.getByRole('log').getByRole('button');
  const reads = lines.filter({ hasText: 'client=console' });
  await lines.filter({ hasText: '/agents/forecaster/text' }).waitFor();
  await page.getByRole('button', { name: 'Console requests' }).click();
  await reads.first().waitFor();
  expect((await reads.allTextContents()).join()).toContain('/observability/traces');
  await page.reload();
  await reads.first().waitFor();
  const count = await reads.count();
  // Another console reads while this page is open.
  await pages.openAt(url, '/console/system');
  await expect.poll(() => reads.count(), eventually).toBeGreaterThan(count);
  await page.getByRole('button', { name: 'Console requests', pressed: true }).click();
  await lines.filter({ hasText: '/agents/forecaster/text' }).waitFor();
  await pages.openAt(url, '/console/system');
  const audit = await pages.openAt(url, '/console/audit');
  await audit.page.getByText('Nothing has been recorded yet').waitFor();
  await ask(url);
  await expect.poll(() => lines.filter({ hasText: '/agents/forecaster/text' }).count(), eventually).toBe(2);
  expect(await reads.count()).toBe(0);
  expect(await lines.filter({ hasText: /url=\/(?:audit|readyz)/ }).count()).toBe(0);
  expect(problems.join('\n')).toBe('');
});

it('asks for the console key in production, says when it is wrong, and forgets it on request', async () => {
  const consoleKey = 'k'.repeat(32);
  const environment = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  pages.afterTest(async () => {
    process.env['NODE_ENV'] = environment;
  });
  const url = await start({ auth: { consoleKey, publicRoutes: ['POST /agents/:id/text'] }, secret: 's'.repeat(32) });
  const { page } = await pages.openAt(url, '/console/traces');
  await page.getByLabel('Console key', { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The server does not accept what you entered').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-unlock');
  await page.getByLabel('Console key', { exact: true }).fill(consoleKey);
  await page.keyboard.press('Enter');
  await page.getByText('No run has been recorded yet').waitFor();
  await page.getByText('Live').waitFor();
  await ask(url);
  await page.getByRole('link', { name: 'forecaster' }).waitFor();

  await page.reload();
  await page.getByRole('link', { name: 'forecaster' }).waitFor();
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByLabel('Console key', { exact: true }).waitFor();
  expect(await page.evaluate('sessionStorage.getItem("halyard-console-credential")')).toBeNull();
});

it('takes the key out of the address', async () => {
  const url = await start();
  const { page, problems } = await pages.openAt(url, '/console/system?key=secret');
  await page.getByText('To change before production').waitFor();
  expect(page.url()).not.toContain('secret');
  await expectAccessible(page);
  await takeScreenshots(page, 'console-system');
  for (const name of ['Schedules', 'MCP servers', 'Limits']) {
    await page.getByRole('tab', { name }).click();
    await expectAccessible(page);
  }
  await page.getByText('bytesInProgress').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('shows that the connection is lost, and goes on when the server is back', async () => {
  const first = await createServer({ agents: [createAgent()], logger: false });
  const url = await first.listen({ port: 0 });
  const { page } = await pages.openAt(url, '/console/traces');
  await page.getByText('Live').waitFor();
  await first.close();
  await page.getByText('Connection lost').waitFor();
  // The files of this page have not been read yet: the console stays, and opens it when they come.
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  await page.getByText('Loading the page').waitFor();
  const second = await createServer({ agents: [createAgent()], logger: false, port: Number(new URL(url).port) });
  pages.afterTest(() => second.close());
  await second.listen();
  await page.getByText('Live').waitFor();
  await page.getByRole('heading', { name: 'Logs', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Traces', exact: true }).click();
  await ask(url);
  await page.getByRole('link', { name: 'forecaster' }).waitFor();
  expect(await page.getByText('Connection lost').count()).toBe(0);
});

it('finds traces by what is in them, in an order and with columns that the person chooses', async () => {
  const url = await start();
  await ask(url);
  const { page, problems } = await pages.openAt(url, '/console/traces');
  const run = page.getByRole('link', { name: 'forecaster' });
  const parameter = (name: string) => expect.poll(() => new URL(page.url()).searchParams.get(name));
  await run.waitFor();

  await page.getByText('More filters').click();
  await page.getByLabel('Tool', { exact: true }).fill('hammer');
  await page.getByText('No trace matches').waitFor();
  await page.getByLabel('Tool', { exact: true }).fill('weather');
  await run.waitFor();
  await page.getByLabel('Dollars, at least').fill('two');
  await page.getByTitle('A number, such as 2.5').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByLabel('Tool', { exact: true }).isVisible()).toBe(false);
  await parameter('toolName').toBe('weather');

  await page.getByRole('combobox', { name: /^Order/ }).selectOption('most tokens');
  await parameter('sort').toBe('tokens');
  await page.getByText('Columns').click();
  await page.getByRole('checkbox', { name: 'Models' }).check();
  await page.getByRole('checkbox', { name: 'User' }).uncheck();
  await page.getByRole('columnheader', { name: 'Models' }).waitFor();
  await takeScreenshots(page, 'console-traces-columns');
  await page.reload();
  await page.getByRole('columnheader', { name: 'Models' }).waitFor();
  expect(await page.getByRole('columnheader', { name: 'User' }).count()).toBe(0);
  await page.setViewportSize({ width: 400, height: 700 });
  // All filters are behind one button, beside the search.
  const folded = page.getByText('Filters 3');
  const [search, button] = [await page.getByRole('searchbox').boundingBox(), await folded.boundingBox()];
  expect(Math.abs((search?.y ?? 0) - (button?.y ?? 100))).toBeLessThan(20);
  await folded.click();
  await page.getByLabel('Tool', { exact: true }).fill('');
  await page.getByText('Filters 2').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-traces-filters');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(problems.join('\n')).toBe('');
});

it('goes from a trace to those beside it in the list, shares its address and downloads it', async () => {
  const url = await start();
  for (const userId of ['bob', 'ada', 'bob', 'ada']) await ask(url, {}, userId);
  const { page, problems } = await pages.openAt(url, '/console/traces?userId=ada');
  await page.getByRole('table', { name: 'Traces' }).and(page.locator('[aria-rowcount="2"]')).waitFor();
  await page.getByRole('link', { name: 'forecaster' }).first().click();
  const [before, after] = [
    page.getByRole('button', { name: 'Previous trace' }),
    page.getByRole('button', { name: 'Next trace' }),
  ];
  await page.getByText('1 of 2', { exact: true }).waitFor();
  expect(await before.isDisabled()).toBe(true);
  await after.click();
  await page.getByText('2 of 2', { exact: true }).waitFor();
  expect(await after.isDisabled()).toBe(true);
  await page.getByRole('list', { name: 'Story' }).waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('k');
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await page.keyboard.press('j');
  await page.getByText('2 of 2', { exact: true }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'console-trace-actions');
  await page.setViewportSize({ width: 1100, height: 760 });

  await page.getByRole('button', { name: 'Copy a link' }).click();
  const link = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(new URL(link).searchParams.get('userId')).toBe('ada');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as JSON' }).click();
  const saved = await downloading;
  const traceId = new URL(link).pathname.split('/').at(-1);
  expect(saved.suggestedFilename()).toBe(`trace-${traceId}.json`);
  const { spans } = JSON.parse(await readFile(await saved.path(), 'utf8')) as { spans: { attributes: object }[] };
  expect(JSON.stringify(spans)).toContain(JSON.stringify(`Rain in ${hostile}`).slice(1, -1));

  await page.goto(link);
  await page.getByText('2 of 2', { exact: true }).waitFor();
  // Moving leaves one entry in the history: back leads to the list.
  await page.keyboard.press('k');
  await page.getByText('1 of 2', { exact: true }).waitFor();
  await page.setViewportSize({ width: 400, height: 700 });
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(problems.join('\n')).toBe('');
});

it('shows the question of the user where notes of the model come after it', async () => {
  const sell = createTool({
    name: 'sellBoat',
    description: 'Sells the boat',
    input: Type.Object({}),
    needsApproval: true,
    execute: () => 'sold',
  });
  const wrote = { toolCalls: [{ toolName: 'updateWorkingMemory', input: { content: 'A sloop', mode: 'replace' } }] };
  const asks = { toolCalls: [{ toolName: 'sellBoat', input: {} }] };
  const memory = createMemory({ workingMemory: { scope: 'user' } });
  const server = await createServer({
    agents: [
      new Agent({ id: 'mate', memory, tools: [sell], model: scriptedModel(wrote, 'Noted.', asks, 'It is sold.') }),
    ],
    storage: openStorage(),
    logger: false,
  });
  pages.afterTest(() => server.close());
  const { page, problems } = await pages.openAt(await server.listen({ port: 0 }), '/console/playground?agentId=mate');
  const send = async (text: string): Promise<void> => {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  };
  await send('I sail a sloop');
  await page.getByText('Noted.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await send('Sell my boat');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('It is sold.').waitFor();

  await page.getByRole('link', { name: 'Traces', exact: true }).click();
  const rows = page.getByRole('table', { name: 'Traces' });
  await expect.poll(() => rows.getByText('Sell my boat', { exact: true }).count(), eventually).toBe(2);
  expect(await page.getByText(/Your working memory/).count()).toBe(0);
  await page.getByRole('link', { name: 'mate' }).first().click();
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await conversation.getByText('Sell my boat').waitFor();
  await conversation.getByText('Notes', { exact: true }).first().waitFor();
  expect(problems.join('\n')).toBe('');
});
