import type { BusyPolicy } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { ask, ended, send, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();

/** Tells a story when the last message requests one, and otherwise repeats that message. */
const answer: ScriptedReply = ({ prompt }) => {
  const asked = prompt.findLast((message) => message.role === 'user');
  const text = (asked?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
  return text.includes('story') ? { text: words } : `You said: ${text}`;
};
const words = Array.from({ length: 60 }, (_, index) => `word${index} `);

/** From now on, the page sends chats that are not resumable: they end when the page disconnects. */
async function sendPlainChats(page: Page): Promise<void> {
  await page.route('**/agents/assistant/chat', (route) => {
    const body = JSON.parse(route.request().postData() ?? '') as { options: object };
    return route.continue({ postData: JSON.stringify({ ...body, options: { ...body.options, resumable: false } }) });
  });
}

/** The server does not learn of a stopped answer: only `useChat` itself stops. */
async function ignoreStops(page: Page): Promise<void> {
  await page.route('**/stop', (route) => route.fulfill({ status: 200, body: '{}' }));
}

async function stopStory(page: Page): Promise<void> {
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
}

/** The messages that a reload shows, which are the stored ones. */
async function storedMessages(page: Page): Promise<string[]> {
  await page.reload();
  await page.locator('.entry').first().waitFor();
  return page.locator('.entry').allTextContents();
}

describe.each(['queue', 'reject', 'interrupt'] as const)('a chat with the policy %s', (onBusy: BusyPolicy) => {
  it('runs an approved call', async () => {
    const { page, problems } = await open('/chat', undefined, { onBusy });
    await ask(page, 'Note: buy oars');
    await send(page, 'Delete all notes');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('deleted 1').first().waitFor();
    await ended(page);

    expect(await storedMessages(page)).toHaveLength(4);
    expect(problems.join('\n')).toBe('');
  });

  it('answers the next message after stop, which disconnects a plain chat', async () => {
    const { page, problems } = await open('/chat', heldModel(scriptedModel(answer)).model, { onBusy });
    await sendPlainChats(page);
    await ignoreStops(page);
    await stopStory(page);
    await send(page, 'Hello');
    await page.getByText('You said: Hello').first().waitFor();

    const [question, story, second, reply, ...others] = await storedMessages(page);
    expect(question).toContain('Tell me a story');
    expect(story).toContain('word3');
    expect(story).not.toContain('word59');
    expect(second).toContain('Hello');
    expect(reply).toContain('You said: Hello');
    expect(others).toEqual([]);
    expect(problems.join('\n')).toBe('');
  });

  it('answers the next message after a resumable answer was stopped', async () => {
    const { page, problems } = await open('/chat', heldModel(scriptedModel(answer)).model, { onBusy });
    await stopStory(page);
    await send(page, 'Hello');
    await page.getByText('You said: Hello').first().waitFor();

    expect(await storedMessages(page)).toHaveLength(4);
    expect(problems.join('\n')).toBe('');
  });

  it('replaces the answer to an edited message, and answers again', async () => {
    const { page, problems } = await open('/chat', heldModel(scriptedModel(answer)).model, { onBusy });
    await stopStory(page);
    await page.getByRole('button', { name: 'Edit the message' }).click();
    await page.getByRole('textbox', { name: 'Edit the message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.getByText('You said: Hello').first().waitFor();
    await page.getByRole('button', { name: 'Answer again' }).click();
    await ended(page);
    await page.getByText('You said: Hello').first().waitFor();

    const messages = await storedMessages(page);
    expect(messages).toHaveLength(2);
    expect(messages[0]).toContain('Hello');
    expect(problems.join('\n')).toBe('');
  });

  it('continues to show an answer after a reload, and then answers the next message', async () => {
    const { model, release } = heldModel(scriptedModel(answer));
    const { page, problems } = await open('/chat', model, { onBusy });
    await send(page, 'Tell me a story');
    await page.getByText('word3').first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    release();
    await page.getByText('word59').first().waitFor();
    await ask(page, 'Hello');

    expect(await storedMessages(page)).toHaveLength(4);
    expect(problems.join('\n')).toBe('');
  });
});

describe('a message from a second tab during an answer', () => {
  async function askFromSecondTab(onBusy: BusyPolicy): Promise<{ first: Page; second: Page; release: () => void }> {
    const { model, release } = heldModel(scriptedModel(answer));
    const { page: first } = await open('/chat', model, { onBusy });
    await sendPlainChats(first);
    await send(first, 'Tell me a story');
    await first.getByText('word3').first().waitFor();
    const second = await first.context().newPage();
    await sendPlainChats(second);
    await second.goto(first.url());
    const sent = second.waitForRequest('**/agents/assistant/chat');
    await send(second, 'Hello');
    await sent;
    return { first, second, release };
  }

  it('is answered afterwards with the policy queue', async () => {
    const { first, second, release } = await askFromSecondTab('queue');
    release();
    await second.getByText('You said: Hello').first().waitFor();

    const [, story, , reply] = await storedMessages(first);
    expect(story).toContain('word59');
    expect(reply).toContain('You said: Hello');
  });

  it('is refused with the policy reject, and answered when it is sent again', async () => {
    const { first, second, release } = await askFromSecondTab('reject');
    const alert = second.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('is being answered');
    release();
    await first.getByText('word59').first().waitFor();
    await ended(first);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await second.getByText('You said: Hello').first().waitFor();

    expect(await storedMessages(first)).toHaveLength(4);
  });

  it('ends the answer with the policy interrupt', async () => {
    const { first, second } = await askFromSecondTab('interrupt');
    await second.getByText('You said: Hello').first().waitFor();

    const [, story] = await storedMessages(first);
    expect(story).toContain('word3');
    expect(story).not.toContain('word59');
  });
});
