import { scriptedModel } from '@halyard/core/testing';
import { expect, it } from 'vitest';
import { heldModel } from './held-model.ts';
import { ask, ended, send, useQuickstarts } from './open-quickstart.ts';

const { open } = useQuickstarts();
const title = { text: 'A title' };

it('folds a tool call, and shows its input and output on request', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'What time is it in Tokyo?');

  const tool = page.locator('.tool[data-state="done"]');
  expect(await tool.locator('summary').textContent()).toContain('getTime');
  expect(await page.getByText('timeZone').isVisible()).toBe(false);
  await tool.locator('summary').click();
  await tool.getByText('"timeZone": "Asia/Tokyo"').waitFor();
  await tool.locator('summary').press('Enter');
  await tool.getByText('timeZone').waitFor({ state: 'hidden' });
  await ask(page, 'Convert 26.2 miles to kilometres');
  await page.getByText('result 42.165').first().waitFor();
  expect(problems.join('\n')).toBe('');
});

it('states that a tool call failed, and why', async () => {
  const call = { toolCalls: [{ toolName: 'convertUnits', input: { value: 1, from: 'miles', to: 'celsius' } }] };
  const { page } = await open('/chat', scriptedModel(call, 'That is impossible.', title));
  await ask(page, 'Convert a mile to celsius');

  await page.locator('.tool[data-state="failed"] summary').click();
  expect(await page.locator('.tool[data-state="failed"]').textContent()).toContain(
    'miles cannot be converted to celsius',
  );
});

it('shows the answer while it is generated, and stops it on request', async () => {
  const script = scriptedModel({ text: words(60) });
  const { page, problems } = await open('/chat', heldModel(script).model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  expect(await page.locator('.answer').textContent()).not.toContain('word59');

  await page.getByRole('button', { name: 'Stop' }).click();
  await ended(page);
  await expect.poll(() => script.abortsSeen).toBe(1);
  expect(await page.locator('.answer').textContent()).not.toContain('word59');
  expect(problems.join('\n')).toBe('');
});

it('stops the answer with Escape', async () => {
  const script = scriptedModel({ text: words(60) });
  const { page } = await open('/chat', heldModel(script).model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  await page.keyboard.press('Escape');
  await ended(page);
  await expect.poll(() => script.abortsSeen).toBe(1);
});

it('continues to show an answer after a reload', async () => {
  const { model, release } = heldModel(scriptedModel({ text: words(60) }, title));
  const { page, problems } = await open('/chat', model);
  await send(page, 'Tell me a story');
  await page.getByText('word3').first().waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  release();
  await page.getByText('word59').first().waitFor();
  await ended(page);
  expect(await page.locator('.entry').count()).toBe(2);
  expect(problems.join('\n')).toBe('');
});

it('shows Markdown, without HTML and images of other hosts', async () => {
  const text = [
    '| Port | Tide |\n|---|---|\n| Brest | high |',
    '```ts\nconst tide = "high";\n```',
    '<img src=x onerror="document.title=\'broken\'">',
    '![chart](https://example.com/chart.png)',
    '**bold**',
  ].join('\n\n');
  const { page, problems } = await open('/chat', scriptedModel({ text }, title));
  await ask(page, 'Show me');

  expect(await page.getByRole('cell').allTextContents()).toEqual(['Brest', 'high']);
  expect(await page.locator('.text strong').textContent()).toBe('bold');
  expect(await page.getByRole('link', { name: 'chart' }).getAttribute('href')).toBe('https://example.com/chart.png');
  expect(await page.locator('.text img').count()).toBe(0);
  expect(await page.title()).toBe('Chat · Halyard');
  expect(problems.join('\n')).toBe('');
});

it('shows unfinished Markdown as if it were complete', async () => {
  const { model, release } = heldModel(scriptedModel({ text: `This is **important ${words(60)}` }));
  const { page } = await open('/chat', model);
  await send(page, 'Tell me');
  await page.locator('.text strong').waitFor();
  expect(await page.locator('.text').textContent()).not.toContain('*');
  release();
});

it('shows the tool calls of a sub-agent', async () => {
  const { page, problems } = await open('/chat?agent=concierge');
  await ask(page, 'What time is it in Lisbon?');
  const inner = page.getByRole('group', { name: 'Calls of ask_assistant' });
  expect(await inner.locator('summary').innerText()).toMatch(/^getTime\s+done$/);
  await inner.locator('summary').click();
  await inner.getByText('"timeZone": "Europe/Lisbon"').waitFor();
  await page.reload();
  await page.locator('.answer p').getByText('time zone Europe/Lisbon').waitFor();
  expect(problems.join('\n')).toBe('');
});

it('keeps two tasks of one sub-agent apart', async () => {
  const task = (city: string) => ({ toolName: 'ask_assistant', input: { task: `What time is it in ${city}?` } });
  const clock = (city: string) => ({ toolCalls: [{ toolName: 'getTime', input: { city } }] });
  const model = scriptedModel(
    { toolCalls: [task('Rome'), task('Oslo')] },
    clock('Rome'),
    clock('Oslo'),
    'First.',
    'Second.',
    'Both are done.',
    title,
  );
  const { page } = await open('/chat?agent=concierge', model);
  await ask(page, 'What time is it in Rome and in Oslo?');
  await page.getByText('Both are done.').first().waitFor();
  const subAgents = page.getByRole('group', { name: 'Calls of ask_assistant' });
  expect(await subAgents.count()).toBe(2);
  for (const subAgent of await subAgents.all()) expect(await subAgent.locator('.tool').count()).toBe(1);
});

it('states once that it is a demo', async () => {
  const { page } = await open('/chat?agent=concierge');
  await ask(page, 'What time is it in Lisbon?');
  await ask(page, 'What time is it in Tokyo?');
  expect((await page.locator('body').innerText()).match(/demo/giu)).toHaveLength(1);
});

it('generates the last answer again', async () => {
  const { page, problems } = await open('/chat', scriptedModel('First answer', title, 'Second answer'));
  await ask(page, 'Tell me');
  await expect.poll(() => page.locator('.sidebar .title').allTextContents()).toEqual(['A title']);
  await page.getByRole('button', { name: 'Answer again' }).click();
  await page.getByText('Second answer').first().waitFor();
  await ended(page);
  await page.reload();
  await page.getByText('Second answer').first().waitFor();
  expect(await page.locator('.entry').count()).toBe(2);
  expect(problems.join('\n')).toBe('');
});

it('copies an answer as Markdown', async () => {
  const { page } = await open('/chat', scriptedModel('The wind is **fair**.', title));
  await ask(page, 'How is the wind?');
  await page.getByRole('button', { name: 'Copy the answer' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('The wind is **fair**.');
});

it('edits the last message, and replaces its answer', async () => {
  const { page, problems } = await open('/chat');
  await ask(page, 'My name is Ada');
  await page.getByRole('button', { name: 'Edit the message' }).click();
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('My name is Grace');
  await page.keyboard.press('Enter');
  await page.getByText('You wrote: My name is Grace').first().waitFor();
  await ended(page);
  await page.reload();
  await page.getByText('You wrote: My name is Grace').first().waitFor();
  expect(await page.locator('.entry').count()).toBe(2);
  expect(await page.locator('.entries').textContent()).not.toContain('Ada');
  expect(problems.join('\n')).toBe('');
});

it('shows an error as a sentence, and tries again', async () => {
  const { page } = await open('/chat', scriptedModel({ error: new Error('secret') }, 'Now it works', title));
  await send(page, 'Tell me');
  const alert = page.locator('main').getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('The model of agent "assistant" failed');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Now it works').first().waitFor();
  await alert.waitFor({ state: 'detached' });
  expect(await page.locator('.entry').count()).toBe(2);
});

it('hides an error that is dismissed', async () => {
  const { page } = await open('/chat', scriptedModel({ error: new Error('secret') }, 'Now it works', title));
  await send(page, 'Tell me');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.locator('main').getByRole('alert').waitFor({ state: 'detached' });
  await ask(page, 'Tell me now');
  await page.getByText('Now it works').first().waitFor();
  expect(await page.locator('main').getByRole('alert').count()).toBe(0);
});

it('says that the server cannot be reached', async () => {
  const { page } = await open('/chat');
  await page.route('**/agents/assistant/chat', (route) => route.abort());
  await send(page, 'Hello');
  await page.getByText('The server cannot be reached').waitFor();
  await page.unroute('**/agents/assistant/chat');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('I am the demo model').first().waitFor();
  expect(await page.getByText('The server cannot be reached').count()).toBe(0);
});

function words(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index} `).join('');
}
