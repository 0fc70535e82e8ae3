import { describe, expect, it } from 'vitest';
import { createInboxApp, fillInbox, hostile, type InboxApp } from './inbox-app.ts';
import { expectAccessible } from './open-console.ts';
import { phone, useQuickstarts } from './open-quickstart.ts';

const { afterTest, openAt } = useQuickstarts();

async function openInbox(settings = {}) {
  const app: InboxApp = await createInboxApp();
  afterTest(() => app.server.close());
  const url = await app.server.listen({ port: 0 });
  await fillInbox(url);
  return { ...app, ...(await openAt(url, '/console/approvals', settings)) };
}

/** A page may take a while on a busy machine. */
const eventually = { timeout: 90_000 };

describe('the inbox of approvals', () => {
  it('shows who asks for what, and runs the call once it is approved', async () => {
    const { page, paid, problems, url } = await openInbox();
    await page.getByRole('link', { name: 'refund' }).click();
    const panel = page.getByRole('region', { name: 'refund' });
    await panel.getByText('A-1042').waitFor();
    expect(await panel.getByText(hostile).count()).toBe(1);
    expect(await panel.getByRole('link', { name: 'ada', exact: true }).getAttribute('href')).toContain('/users/ada');
    expect(await page.title()).toBe('(2) Approvals · Halyard');
    await expectAccessible(page);

    await panel.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The call is approved.').waitFor();
    await expect.poll(() => paid, eventually).toEqual([{ order: 'A-1042', euros: 38.5, note: hostile }]);
    await expect.poll(() => page.title(), eventually).toBe('(1) Approvals · Halyard');

    await page.goto(`${url}/console/conversations/ada-refund`);
    await page.getByText('The answer was noted.').waitFor();
    expect(await page.getByText('Approved').count()).toBe(1);
    expect(problems.join('\n')).toBe('');
  });

  it('shows the conversation that led to a call on demand', async () => {
    const { page, problems } = await openInbox(phone);
    await page.getByRole('link', { name: 'refund' }).click();
    const panel = page.getByRole('region', { name: 'refund' });
    await panel.getByText('The conversation that led to it').click();
    await panel.getByText('I want a refund').waitFor();
    await panel.getByText('Let me ask a colleague.').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(problems.join('\n')).toBe('');
  });

  it('moves, approves and denies by keys, and undoes a response for a while', async () => {
    const { page, paid, problems, url } = await openInbox();
    const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
    const refund = page.getByRole('row').filter({ hasText: 'order: A-1042' });
    const isCurrent = () => refund.getAttribute('aria-current');
    await refund.waitFor();
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).click();
    for (const key of ['k', 'j', 'k', 'j']) if ((await isCurrent()) === null) await page.keyboard.press(key);
    await expect.poll(isCurrent, eventually).not.toBeNull();

    await page.keyboard.press('a');
    await expect.poll(() => refund.count(), eventually).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await refund.waitFor();
    await refund.getByRole('link').click();
    await page.keyboard.press('a');
    await expect.poll(() => refund.count(), eventually).toBe(0);
    await page.keyboard.press('u');
    await refund.getByRole('link').click();
    // A letter in the field of the reason is a letter.
    await page.getByLabel('Reason').press('d');
    expect(await refund.count()).toBe(1);
    await refund.getByRole('link').focus();
    await page.keyboard.press('d');
    await expect.poll(() => rows.count(), eventually).toBe(1);
    const left = async (): Promise<number> => {
      const reply = (await (await fetch(`${url}/approvals`)).json()) as { data: { approvals: unknown[] } };
      return reply.data.approvals.length;
    };
    // It is sent although the person has gone to another page.
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await expect.poll(left, eventually).toBe(1);
    expect(paid).toEqual([]);
    expect(problems.join('\n')).toBe('');
  });

  it('shows who asks, why and with which arguments in the list, and moves on to the next request where the list was', async () => {
    const { page, paid, problems, url } = await openInbox();
    const start = async (title: string): Promise<void> => {
      const body = JSON.stringify({ input: { title }, options: { userId: 'eve' } });
      const headers = { 'content-type': 'application/json' };
      await fetch(`${url}/workflows/contract/execute`, { method: 'POST', headers, body });
    };
    for (let at = 1; at <= 18; at += 1) await start(`Contract ${at}`);
    await page.reload();
    const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text });
    const refund = rowOf('order: A-1042, euros: 38.5');
    await refund.getByText('Tool "refund" needs approval').waitFor();
    await refund.getByText('ada', { exact: true }).waitFor();
    await rowOf('title: Contract 18').getByText('eve', { exact: true }).waitFor();
    await expectAccessible(page);

    const list = page.getByRole('table', { name: 'Approvals' }).locator('> div');
    const top = async (): Promise<number> => list.evaluate(({ scrollTop }) => scrollTop);
    await refund.getByRole('link').scrollIntoViewIfNeeded();
    await refund.getByRole('link').click();
    const previews = await page.locator('[role=row] code').allTextContents();
    const at = previews.findIndex((preview) => preview.startsWith('order: A-1042'));
    const before = await top();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('The call is denied.').waitFor();
    await expect.poll(() => refund.count(), eventually).toBe(0);
    const next = previews[at + 1] ?? previews[at - 1];
    const current = page.locator('[role=row][aria-current] code');
    await expect.poll(() => current.textContent(), eventually).toBe(next);
    await expect
      .poll(() => page.evaluate('document.activeElement?.closest("[aria-current]") !== null'), eventually)
      .toBe(true);
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(56);
    expect(paid).toEqual([]);

    await page.setViewportSize({ width: 400, height: 800 });
    await rowOf('title: Contract').getByText('eve', { exact: true }).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(problems.join('\n')).toBe('');
  });

  it('approves a call with other arguments', async () => {
    const { page, paid, problems, url } = await openInbox();
    await page.getByRole('link', { name: 'refund' }).click();
    const panel = page.getByRole('region', { name: 'refund' });
    await panel.getByRole('button', { name: 'Change the arguments' }).click();
    const field = panel.getByRole('group', { name: 'Changed arguments' }).getByRole('textbox');
    expect(JSON.parse(await field.inputValue())).toEqual({ order: 'A-1042', euros: 38.5, note: hostile });
    await expectAccessible(page);
    await field.fill('{ "order": "A-1042", "euros": "few" }');
    await panel.getByRole('button', { name: 'Change and approve' }).click();
    await panel.getByRole('alert').getByText('input/euros').waitFor();
    await field.fill('{ "order": "A-1042", "euros": 5, "note": "less" }');
    await panel.getByRole('button', { name: 'Change and approve' }).click();
    await page.getByText('The call is approved.').waitFor();
    await expect.poll(() => paid, eventually).toEqual([{ order: 'A-1042', euros: 5, note: 'less' }]);

    await page.goto(`${url}/console/conversations/ada-refund`);
    await page.getByRole('heading', { name: 'Changed arguments' }).waitFor();
    // The server has refused the first change.
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  it('is also in the overview, with what conversations wait for', async () => {
    const { page, problems, url } = await openInbox();
    await page.goto(`${url}/console/`);
    const waiting = page.locator('section', { has: page.getByRole('heading', { name: 'Waiting for a person' }) });
    await waiting.getByText('2', { exact: true }).waitFor();
    await waiting.getByText('A signature is missing').waitFor();
    await waiting.getByRole('link', { name: 'refund' }).click();
    await page.getByRole('region', { name: 'refund' }).getByText('A-1042').waitFor();
    expect(problems.join('\n')).toBe('');
  });

  it('denies with a reason by keyboard alone, and the model reads it', async () => {
    const { page, paid, problems, url } = await openInbox();
    await page.getByRole('link', { name: 'A signature is missing' }).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement?.textContent'), eventually).toBe('refund');
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('It was delivered');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement?.textContent'), eventually).toBe('Deny');
    await page.keyboard.press('Enter');
    await page.getByText('The call is denied.').waitFor();
    // The next request has the focus.
    await expect
      .poll(() => page.evaluate('document.activeElement?.textContent'), eventually)
      .toBe('A signature is missing');
    const messages = async () => (await fetch(`${url}/api/memory/conversations/ada-refund/messages`)).text();
    await expect.poll(messages, eventually).toContain('The answer was noted.');
    expect(await messages()).toContain('It was delivered');
    expect(paid).toEqual([]);
    expect(problems.join('\n')).toBe('');
  });

  it('asks for the resume data of a suspended step, and resumes it', async () => {
    const { page, problems, url } = await openInbox(phone);
    const panel = page.getByRole('region', { name: 'A signature is missing' });
    await panel.getByText(hostile).waitFor();
    await panel.getByRole('button', { name: 'Resume' }).click();
    // The name is required.
    await expect
      .poll(() => page.evaluate("document.activeElement?.getAttribute('aria-invalid')"), eventually)
      .toBe('true');
    await panel.getByLabel('signedBy').fill('Grace');
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The execution continues.').waitFor();
    const read = async () => (await fetch(`${url}/workflows/executions?workflowId=contract`)).text();
    await expect.poll(read, eventually).toContain('"signedBy":"Grace"');
    expect(problems.join('\n')).toBe('');
  });

  it('shows new requests at once, and says when somebody else was faster', async () => {
    const { page, url } = await openInbox();
    await page.getByRole('link', { name: 'refund' }).click();
    await fetch(`${url}/workflows/contract/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: { title: 'another' }, options: { userId: 'eve' } }),
    });
    await expect
      .poll(() => page.getByRole('link', { name: 'A signature is missing' }).count(), { timeout: 90_000 })
      .toBe(2);

    const list = (await (await fetch(`${url}/approvals`)).json()) as {
      data: { approvals: { id: string; conversationId: string | null }[] };
    };
    const asked = list.data.approvals.find(({ conversationId }) => conversationId === 'ada-refund');
    await page.route('**/approvals', (route) => route.abort());
    const body = JSON.stringify({ id: asked?.id, conversationId: 'ada-refund', approved: false });
    await fetch(`${url}/approvals/answer`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Somebody has answered this request, or it has expired.').waitFor();
  });

  it('says what would appear while nothing waits', async () => {
    const { server } = await createInboxApp();
    afterTest(() => server.close());
    const url = await server.listen({ port: 0 });
    const { page, problems } = await openAt(url, '/console/approvals');
    await page.getByRole('heading', { name: 'Nothing waits for a person' }).waitFor();
    await expectAccessible(page);
    expect(problems.join('\n')).toBe('');
  });
});
