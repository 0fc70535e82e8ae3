import type { LanguageModel } from '@halyard/core';
import { type ScriptedModel, scriptedModel, type ScriptedTurn } from '@halyard/core/testing';
import { demoModel } from '@halyard/example-demo-model';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { expectAccessible } from './open-console.ts';
import type { Proxy } from './open-proxy.ts';
import { takeScreenshots } from './open-quickstart.ts';

/** The chat of an example in a browser. */
export interface OpenedChat {
  readonly page: Page;
  /** The connection to the Halyard server. */
  readonly proxy: Proxy;
  /** Errors of the page. */
  readonly problems: readonly string[];
}

const title = { text: 'A story' };

const story: ScriptedTurn = { text: Array.from({ length: 40 }, (_, word) => `word${word} `) };
const booking: ScriptedTurn = { toolCalls: [{ toolName: 'bookBerth', input: { berth: 'B11', nights: 2 } }] };

const answers = (page: Page): Promise<string[]> => page.locator('.answer').allInnerTexts();
const send = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
};
/** Until the answer is complete. */
const ended = (page: Page): Promise<void> => page.getByRole('button', { name: 'Answer again' }).waitFor();

async function expectWholeStory(page: Page, model: ScriptedModel): Promise<void> {
  await page.getByText('word39').first().waitFor();
  await ended(page);
  const [answer = '', ...others] = await answers(page);
  expect(others).toEqual([]);
  expect(answer.match(/word3 /g)).toHaveLength(1);
  // The list of conversations, which could not be loaded without a connection, is loaded again after the answer.
  await expect.poll(() => page.locator('.app').getByRole('alert').count()).toBe(0);
  // The answer and the title.
  await expect.poll(() => model.calls.length).toBe(2);
}

/** What the chats of both examples do. @param open opens the chat of a new server, with these models and this width */
export function testChat(name: string, open: (model: LanguageModel, width?: number) => Promise<OpenedChat>): void {
  it('streams an answer, and shows it and its conversation after a reload', async () => {
    const { model, release } = heldModel(scriptedModel(story, title));
    const { page, problems } = await open(model);
    await send(page, 'Tell me a story');
    await page.getByText('word3').first().waitFor();
    expect(await page.getByText('word39').count()).toBe(0);
    release();
    await ended(page);
    await page.getByRole('link', { name: 'A story' }).waitFor();

    await page.reload();
    await page.getByText('word39').first().waitFor();
    expect(await page.locator('.entry').count()).toBe(2);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
    await page.getByRole('link', { name: 'A story' }).click();
    await page.getByText('word39').first().waitFor();
    await page.getByRole('button', { name: 'Delete A story' }).click();
    await page.getByText('Your conversations are kept here.').waitFor();
    await page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('asks for no history before the first message, and puts the id of the conversation into the URL with it', async () => {
    const { page, problems } = await open(scriptedModel('Aye.', title, 'Aye, aye.', title));
    // What the page still reads, the reload would cancel.
    await page.waitForLoadState('networkidle');
    const [asked, refused]: [string[], string[]] = [[], []];
    page.on('request', (request) => asked.push(request.url()));
    page.on('requestfailed', (request) => {
      // A request that was under way at the reload.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') refused.push(request.url());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    const historyRequests = (): readonly string[] => asked.filter((url) => url.includes('/messages'));
    await page.reload();
    await page.getByText('Your conversations are kept here.').waitFor();
    await page.getByLabel('Message', { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await send(page, 'Can we sail?');
    await page.getByText('Aye.').waitFor();
    await ended(page);
    await page.getByRole('link', { name: 'A story' }).waitFor();
    const [{ hash: first }, before] = [new URL(page.url()), page.url()];
    expect(first).not.toBe('');
    expect(historyRequests()).toEqual([]);

    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
    await send(page, 'And tomorrow?');
    await page.getByText('Aye, aye.').waitFor();
    await ended(page);
    expect(new URL(page.url()).hash).not.toBe(first);
    expect(historyRequests()).toEqual([]);
    await page.goBack();
    await page.getByText('Can we sail?').waitFor();
    expect(page.url()).toBe(before);
    expect(await page.locator('.entry').count()).toBe(2);
    expect(refused).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('asks before a tool runs, also after a reload, and respects both answers', async () => {
    const { page, problems } = await open(scriptedModel(booking, title, 'As you wish.', booking, 'Welcome.'));
    await send(page, 'Book a berth');
    await page.getByText('Book berth B11 for 2 nights?').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('As you wish.').waitFor();
    await page.getByText('declined').waitFor();
    await ended(page);

    await send(page, 'Do book it');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.reload();
    await takeScreenshots(page, `${name}-approval`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Welcome.').waitFor();
    await ended(page);
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await page.locator('.tool').allInnerTexts()).toEqual(['Booking\ndeclined', 'Booking\ndone']);
    expect(problems).toEqual([]);
  });

  it('stops an answer at the server, and answers again', async () => {
    const script = scriptedModel(story, title, 'All in one.');
    const { page, problems } = await open(heldModel(script).model);
    await send(page, 'Tell me a story');
    await page.getByText('word3').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await ended(page);
    await expect.poll(() => script.calls[0]?.abortSignal?.aborted).toBe(true);

    await page.getByRole('button', { name: 'Answer again' }).click();
    await page.getByText('All in one.').waitFor();
    await ended(page);
    expect(await answers(page)).toHaveLength(1);
    expect(await page.getByText('word3').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('reads an answer on after a reload', async () => {
    const script = scriptedModel(story, title);
    const { model, release } = heldModel(script);
    const { page } = await open(model);
    await send(page, 'Tell me a story');
    await page.getByText('word3').first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.getByText('word3').first().waitFor();
    expect(await page.getByText('word39').count()).toBe(0);
    release();
    await expectWholeStory(page, script);
  });

  it('reads an answer on after its connection was cut, without generating it again', async () => {
    const script = scriptedModel(story, title);
    const { model, release } = heldModel(script);
    const { page, proxy } = await open(model);
    await send(page, 'Tell me a story');
    await page.getByText('word3').first().waitFor();
    proxy.cut();
    await page.getByText('The connection is lost.').waitFor();
    expect(await page.getByText('word3').first().isVisible()).toBe(true);
    proxy.restore();
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
    release();
    await expectWholeStory(page, script);
  });

  it('shows an error of the model, and tries again', async () => {
    const { page } = await open(scriptedModel({ error: new Error('The model is down') }, title, 'Now it works.'));
    await send(page, 'Hello');
    await page.locator('.app').getByRole('alert').waitFor();
    await takeScreenshots(page, `${name}-error`);
    expect(await page.locator('.entry').count()).toBe(1);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Now it works.').waitFor();
    await ended(page);
    expect(await page.locator('.app').getByRole('alert').count()).toBe(0);
    expect(await page.locator('.entry').count()).toBe(2);
  });

  it('is whole on a phone, with a list that opens over it', async () => {
    const { page, problems } = await open(demoModel({ delayMs: 1 }), 400);
    await page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'When is high water in Falmouth today?' }).click();
    await page.getByRole('img', { name: /high water/ }).waitFor();
    await ended(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400);
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('navigation').getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('navigation').waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('navigation').getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('navigation').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('link', { name: /high water/i }).click();
    await page.getByRole('navigation').waitFor({ state: 'hidden' });
    await expectAccessible(page);
    await send(page, 'Which berths are free?');
    await page.getByRole('rowheader', { name: 'C2' }).waitFor();
    await ended(page);
    await takeScreenshots(page, `${name}-answers`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(problems).toEqual([]);
  });

  it('begins with a chart and questions to try', async () => {
    const { page, problems } = await open(demoModel({ delayMs: 1 }));
    await page.getByRole('heading', { name: 'Where are you bound?' }).waitFor();
    await takeScreenshots(page, `${name}-empty`);
    expect(problems).toEqual([]);
  });
}
