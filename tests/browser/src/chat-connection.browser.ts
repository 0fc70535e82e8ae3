import type { LanguageModel } from '@halyard/core';
import { type ScriptedModel, scriptedModel } from '@halyard/core/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { openProxy, type Proxy } from './open-proxy.ts';
import { ask, ended, send, useQuickstarts } from './open-quickstart.ts';

const { afterTest, open } = useQuickstarts();
const title = { text: 'A title' };

/** The chat page, behind a connection that can be cut. */
async function openBehindProxy(model: LanguageModel): Promise<{ page: Page; proxy: Proxy }> {
  const proxies: Proxy[] = [];
  const { page } = await open('/chat', model, {
    through: async (url) => {
      const proxy = await openProxy(url);
      proxies.push(proxy);
      afterTest(() => proxy.close());
      return proxy.url;
    },
  });
  const [proxy] = proxies;
  if (proxy === undefined) throw new Error('The page was opened without a proxy');
  return { page, proxy };
}

/** Looks something up, then tells a story of 60 words. */
function story(): ScriptedModel {
  const look = { text: 'Let me look.', toolCalls: [{ toolName: 'getTime', input: { timeZone: 'Asia/Tokyo' } }] };
  return scriptedModel(look, { text: Array.from({ length: 60 }, (_, word) => `word${word} `) }, title);
}

async function expectOneReply(page: Page): Promise<void> {
  await page.getByText('word59').first().waitFor();
  await ended(page);
  const shown = (await page.locator('.answer').allInnerTexts()).join('\n');
  expect(shown.match(/Let me look\./g)).toHaveLength(1);
  expect(shown.match(/word3 /g)).toHaveLength(1);
  expect(await page.locator('.entry').count()).toBe(2);
  expect(await page.locator('.tool').count()).toBe(1);
  // The list of conversations, which could not be loaded without a connection, is loaded again
  // after the answer.
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
}

it('continues an answer whose connection was lost, without generating it again', async () => {
  const script = story();
  const { model, release } = heldModel(script);
  const { page, proxy } = await openBehindProxy(model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  proxy.cut();
  await page.getByText('The connection is lost.').waitFor();
  expect(await page.getByText('word3').first().isVisible()).toBe(true);
  proxy.restore();
  await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
  release();
  await expectOneReply(page);
  await page.reload();
  await expectOneReply(page);
  // Two steps of the answer, and the title.
  await expect.poll(() => script.calls.length).toBe(3);
});

it('shows an answer that was completed while the connection was lost', async () => {
  const script = story();
  const { model, release } = heldModel(script);
  const { page, proxy } = await openBehindProxy(model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  proxy.cut();
  await page.getByText('The connection is lost.').waitFor();
  release();
  // The title is generated after the answer.
  await expect.poll(() => script.calls.length).toBe(3);
  proxy.restore();
  await expectOneReply(page);
  expect(script.calls).toHaveLength(3);
});

it('shows an answer that ends while the page reconnects', async () => {
  const script = story();
  const { model, release } = heldModel(script);
  const { page, proxy } = await openBehindProxy(model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  // The page has read the history, and asks for the live answer.
  await page.route('**/stream', async (route) => {
    release();
    await expect.poll(() => script.calls.length).toBe(3);
    await route.continue();
  });
  proxy.cut();
  await page.getByText('The connection is lost.').waitFor();
  proxy.restore();
  await expectOneReply(page);
  expect(script.calls).toHaveLength(3);
});

it('keeps a message that did not reach the server, and sends it again', async () => {
  const model = scriptedModel('First.', title, 'Second.');
  const { page, proxy } = await openBehindProxy(model);
  await ask(page, 'One');
  await expect.poll(() => page.locator('.sidebar .title').allTextContents()).toEqual(['A title']);
  proxy.cut();
  await send(page, 'Two');
  await page.getByText('The connection is lost.').waitFor();
  expect(await page.locator('.question p').allInnerTexts()).toEqual(['One', 'Two']);

  proxy.restore();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Second.').first().waitFor();
  await ended(page);
  expect(await page.locator('.entry').count()).toBe(4);
  await page.reload();
  await page.getByText('Second.').first().waitFor();
  expect(await page.locator('.entry').count()).toBe(4);
  expect(model.calls).toHaveLength(3);
});

describe('a message that reached the server before the connection was lost', () => {
  interface Lost {
    readonly page: Page;
    readonly proxy: Proxy;
    readonly script: ScriptedModel;
    readonly release: () => void;
  }

  /** The page has received nothing of the answer. */
  async function sendAndLose(): Promise<Lost> {
    const script = scriptedModel({ text: ['Only ', 'once.'] }, title, 'Twice.');
    const { model, release } = heldModel(script, 1);
    const { page, proxy } = await openBehindProxy(model);
    await page.getByLabel('Message', { exact: true }).waitFor();
    proxy.holdReplies();
    await send(page, 'One');
    await expect.poll(() => script.calls.length).toBe(1);
    proxy.cut();
    await page.getByText('The connection is lost.').waitFor();
    expect(await page.locator('.answer').count()).toBe(0);
    return { page, proxy, script, release };
  }

  async function expectAnsweredOnce({ page, script }: Lost): Promise<void> {
    await page.getByText('Only once.').first().waitFor();
    await ended(page);
    expect(await page.locator('.entry').count()).toBe(2);
    await expect.poll(() => script.calls.length).toBe(2);
    expect(await page.locator('.entries').textContent()).not.toContain('Twice.');
  }

  it('is not answered twice while its answer is generated', async () => {
    const lost = await sendAndLose();
    lost.proxy.restore();
    await lost.page.getByText('Only').first().waitFor();
    expect(lost.script.calls).toHaveLength(1);
    lost.release();
    await expectAnsweredOnce(lost);
  });

  it('is not answered twice after its answer is complete', async () => {
    const lost = await sendAndLose();
    lost.release();
    await expect.poll(() => lost.script.calls.length).toBe(2);
    lost.proxy.restore();
    await expectAnsweredOnce(lost);
  });
});

it('shows each part of an answer once after a reload during its second step', async () => {
  const script = story();
  const { model, release } = heldModel(script);
  const { page } = await open('/chat', model);
  await send(page, 'Tell me a story');
  await page.getByText('word9').first().waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  release();
  await expectOneReply(page);
  expect(script.calls.length).toBeLessThanOrEqual(3);
});
