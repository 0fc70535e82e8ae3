import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createInboxApp, fillInbox, hostile, post } from './inbox-app.ts';
import { expectAccessible } from './open-console.ts';
import { useQuickstarts } from './open-quickstart.ts';

const { afterTest, openAt } = useQuickstarts();

async function openConsole(path: string) {
  const { server } = await createInboxApp();
  afterTest(() => server.close());
  const url = await server.listen({ port: 0 });
  await fillInbox(url);
  return openAt(url, `/console/${path}`);
}

/** A page may take a while on a busy machine. */
const eventually = { timeout: 90_000 };

const titles = (page: Page) => page.getByRole('table', { name: 'Conversations' }).getByRole('link').allTextContents();

describe('conversations', () => {
  it('are listed by user, in the order of the address, and read with all their parts', async () => {
    const { page, problems, url } = await openConsole('conversations?order=title&direction=asc');
    await expect.poll(() => titles(page), eventually).toHaveLength(3);
    expect((await titles(page)).slice(1)).toEqual([`Tea of ada ${hostile}`, `Tea of eve ${hostile}`]);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'eve' }).click();
    await expect.poll(() => page.url(), eventually).toContain('userId=eve');
    await expect.poll(() => titles(page), eventually).toEqual([`Tea of eve ${hostile}`]);

    await page.goto(`${url}/console/conversations/ada-refund`);
    const call = page.getByRole('region', { name: 'Tool call refund' });
    await call.getByText('waits for approval').waitFor();
    expect(await call.getByText(hostile).count()).toBe(1);
    expect(await page.title()).not.toContain('owned');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'traces', exact: true }).click();
    await page.getByRole('table', { name: 'Traces' }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'ada-refund' }).waitFor();
    expect(problems.join('\n')).toBe('');
  });

  it('stay live however many are loaded, and only the pages in view are read again', async () => {
    const { page, problems, url } = await openConsole('conversations');
    for (let count = 0; count < 110; count += 1)
      await post(`${url}/api/memory/conversations`, {
        userId: 'ada',
        conversationId: `many-${count}`,
        title: `Many ${count}`,
        resourceId: 'support',
      });
    await page.reload();
    const table = page.getByRole('table', { name: 'Conversations' });
    await table.and(page.locator('[aria-rowcount="113"]')).waitFor();
    const scroller = table.locator('> div');
    const second = page.waitForResponse(/memory\/conversations\?.*offset=100/);
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await second;
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    const read: string[] = [];
    page.on('request', (request) => read.push(request.url()));
    const options = { userId: 'ada', conversationId: 'brand-new' };
    await post(`${url}/agents/support/text`, { input: 'I like tea', options });
    await table.getByRole('link', { name: 'brand-new' }).waitFor();
    await table.and(page.locator('[aria-rowcount="114"]')).waitFor();
    expect(read.filter((address) => address.includes('offset=100'))).toEqual([]);
    expect(problems.join('\n')).toBe('');
  });

  it('are found by meaning, with scores', async () => {
    const { page, problems, url } = await openConsole('conversations');
    // The newest hundred do not contain what is found.
    const later = Array.from({ length: 150 }, (_, index) => ({ role: 'user', content: `Later ${index}` }));
    await post(`${url}/api/memory/save-messages`, { userId: 'ada', conversationId: 'ada-refund', messages: later });
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('refund');
    const found = page.getByRole('table', { name: 'Messages by score' });
    await found.getByText('I want a refund').waitFor();
    expect(await found.getByText('1.00').count()).toBeGreaterThan(0);
    await found.getByRole('link', { name: 'I want a refund' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Tool call refund' }).waitFor();
    const question = page.getByRole('listitem').filter({ hasText: 'I want a refund' });
    await expect
      .poll(
        () =>
          question.evaluate(
            (item) => Math.abs(item.getBoundingClientRect().top) < item.ownerDocument.documentElement.clientHeight,
          ),
        eventually,
      )
      .toBe(true);
    expect(problems.join('\n')).toBe('');
  });

  it('may be long: only the messages in view are in the document, and older ones do not move them', async () => {
    const { server } = await createInboxApp();
    afterTest(() => server.close());
    const url = await server.listen({ port: 0 });
    await post(`${url}/api/memory/conversations`, { userId: 'ada', conversationId: 'long', resourceId: 'support' });
    for (let at = 0; at < 5_000; at += 500) {
      const messages = Array.from({ length: 500 }, (_, index) => ({ role: 'user', content: `Line ${at + index}.` }));
      await post(`${url}/api/memory/save-messages`, { userId: 'ada', conversationId: 'long', messages });
    }
    const { page, problems } = await openAt(url, '/console/conversations/long');
    const line = (number: number) => page.getByText(`Line ${number}.`, { exact: true });
    await line(4_900).waitFor();
    const older = page.getByRole('button', { name: 'Show older messages' });
    const height = () => page.getByRole('list', { name: 'Messages' }).evaluate(({ clientHeight }) => clientHeight);
    const topOf = async (number: number) => (await line(number).boundingBox())?.y ?? Number.NaN;
    let before = Number.NaN;
    // The header is read at the same time as the messages.
    const isAtRest = async (): Promise<boolean> => before === (before = await topOf(4_901));
    await expect.poll(isAtRest, { ...eventually, interval: 500 }).toBe(true);
    for (let read = 100; read < 5_000; read += 500) {
      const shown = await height();
      await older.click();
      await expect.poll(height, eventually).toBeGreaterThan(shown);
      if (read === 100)
        await expect.poll(async () => Math.abs((await topOf(4_901)) - before), eventually).toBeLessThan(60);
    }
    await older.waitFor({ state: 'detached' });
    await page.getByRole('main').evaluate((main) => main.scrollTo(0, 0));
    await line(0).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'Line' }).count()).toBeLessThan(60);
    await page.getByRole('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
    await line(4_999).waitFor();
    await expectAccessible(page);
    expect(problems.join('\n')).toBe('');
  });

  it('can be deleted message by message and as a whole, after a question', async () => {
    const { page, problems, url } = await openConsole('conversations/eve-tea');
    const messages = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    await page
      .getByRole('button', { name: /^Delete the message/ })
      .first()
      .click();
    await page.keyboard.press('Escape');
    await page
      .getByRole('button', { name: /^Delete the message/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete the message', exact: true }).click();
    await page.getByText('The message is deleted.').waitFor();
    await expect.poll(() => messages.filter({ hasText: 'I like tea' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete the conversation' }).click();
    await page.getByText('The conversation is deleted.').waitFor();
    expect((await fetch(`${url}/api/memory/conversations/eve-tea`)).status).toBe(404);
    expect(problems.join('\n')).toBe('');
  });

  it('have a working memory with a form, which overwrites no other change', async () => {
    const { page, problems, url } = await openConsole('conversations/ada-tea?tab=memory');
    const name = page.getByRole('textbox', { name: /^name/ });
    await expect.poll(() => name.inputValue(), eventually).toBe(hostile);
    await expectAccessible(page);
    const stored = `${url}/api/memory/conversations/ada-tea/working-memory`;
    await post(stored, { content: { name: 'Ada of the agent' } });
    await name.fill('Ada');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('has changed it since you opened it').waitFor();
    await page.getByRole('button', { name: 'Show the stored one' }).click();
    await expect.poll(() => name.inputValue(), eventually).toBe('Ada of the agent');
    await name.fill('Ada L.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The working memory is saved.').waitFor();
    expect(await (await fetch(stored)).text()).toContain('Ada L.');
    // The refused write is the only failed request.
    expect(problems).toEqual([expect.stringContaining('409')]);
  });
});

describe('a user', () => {
  it('is shown with everything, exported as a file, and deleted after the id was typed', async () => {
    const { page, problems, url } = await openConsole('users/ada');
    await expect.poll(() => titles(page), eventually).toHaveLength(2);
    await expectAccessible(page);
    await page.getByRole('radio', { name: 'Executions' }).check({ force: true });
    await page.getByRole('link', { name: 'Contract' }).waitFor();
    await page.getByRole('radio', { name: 'Traces' }).check({ force: true });
    await page.getByRole('table', { name: 'Traces' }).getByRole('link').first().waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('user-ada.jsonl');
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    const types = new Set(lines.map((line) => (JSON.parse(line) as { type: string }).type));
    expect([...types]).toEqual(expect.arrayContaining(['conversation', 'message', 'execution', 'span']));

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const sure = page.getByRole('button', { name: 'Delete everything' });
    expect(await sure.isDisabled()).toBe(true);
    await page.getByLabel('Type ada to confirm').fill('ada');
    await expectAccessible(page);
    await sure.click();
    await page.getByText('Deleted: 2 conversations').waitFor();
    const left = (await (await fetch(`${url}/api/memory/conversations`)).json()) as {
      data: { conversations: { userId: string }[] };
    };
    expect(left.data.conversations.map(({ userId }) => userId)).toEqual(['eve']);
    expect(problems.join('\n')).toBe('');
  });
});

describe('with access control', () => {
  const consoleKey = 'a console key that is long enough';
  const provider = { type: 'test', verifyToken: async (token: string) => ({ id: token }) };
  const openWith = async (path: string, credential: { kind: 'key' | 'token'; value: string }) => {
    const { server } = await createInboxApp({ auth: { consoleKey, provider } });
    afterTest(() => server.close());
    const url = await server.listen({ port: 0 });
    await fillInbox(url, (user) => ({ authorization: `Bearer ${user}` }));
    const opened = await openAt(url, '/console/logs');
    await opened.page.evaluate(
      (entered) => sessionStorage.setItem('halyard-console-credential', JSON.stringify(entered)),
      credential,
    );
    opened.problems.splice(0);
    await opened.page.goto(`${url}/console/${path}`);
    return { ...opened, url };
  };

  it('the console key reads the conversations of all users, and changes none', async () => {
    const { page, problems, url } = await openWith('conversations', { kind: 'key', value: consoleKey });
    await expect.poll(() => titles(page), eventually).toHaveLength(3);
    await page.getByRole('link', { name: 'Tea of eve' }).click();
    await page.getByText('I like tea').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Working memory' }).click();
    await page.getByText('to change it, use the token of its user').waitFor();
    await page.goto(`${url}/console/approvals`);
    await page.getByRole('link', { name: 'refund' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The call is denied.').waitFor();
    expect(problems.join('\n')).toBe('');
  });

  it.each(['ada', 'eve'])('the token of %s shows that user’s conversations only', async (user) => {
    const { page, url } = await openWith('conversations', { kind: 'token', value: user });
    await expect.poll(() => titles(page), eventually).toHaveLength(user === 'ada' ? 2 : 1);
    expect((await titles(page)).join()).not.toContain(user === 'ada' ? 'eve' : 'ada');
    const other = user === 'ada' ? 'eve' : 'ada';
    await page.goto(`${url}/console/conversations/${other}-tea`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.goto(`${url}/console/logs`);
    await page.getByRole('heading', { name: 'This page opens with the console key' }).waitFor();
  });
});
