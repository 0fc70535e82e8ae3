import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, expect, it } from 'vitest';
import { Person, serveDesk } from '../../../testing/feedback.ts';
import type { Served, ServedOptions } from '../../../testing/serve.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function open(options: ServedOptions = {}): Promise<{ ada: Person; bob: Person; operator: Person }> {
  server = await serveDesk(createInMemoryStorage(), options);
  return { ada: new Person(server, 'ada'), bob: new Person(server, 'bob'), operator: new Person(server) };
}

it('stores the last rating of a user in the trace of the reply, and finds the trace by it', async () => {
  const { ada, operator } = await open();
  const first = await ada.ask('c1', 'Where is it?');
  const second = await ada.ask('c1', 'When does it come?');

  expect(await ada.rate('c1', first, 'up')).toMatchObject({ status: 200, data: { rating: 'up', note: null } });
  const note = ' It came on Tuesday. ';
  expect(await ada.rate('c1', second, 'up', { note })).toMatchObject({ data: { note: note.trim() } });
  expect(await operator.rated('up')).toEqual([
    { up: 1, down: 0 },
    { up: 1, down: 0 },
  ]);
  await ada.rate('c1', second, 'down', { note });

  expect(await operator.rated('up')).toEqual([{ up: 1, down: 0 }]);
  expect(await operator.rated('down')).toEqual([{ up: 0, down: 1 }]);
  expect(await operator.given()).toEqual([
    {
      'entity.type': 'feedback',
      'entity.id': 'down',
      'gen_ai.conversation.id': 'c1',
      'halyard.message.id': second,
      'user.id': 'ada',
      'halyard.feedback.note': note.trim(),
    },
    expect.objectContaining({ 'entity.id': 'up', 'halyard.message.id': first }),
  ]);
});

it('is read with the messages by the user who gave it', async () => {
  const { ada, operator } = await open();
  const first = await ada.ask('c1', 'Where is it?');
  const second = await ada.ask('c1', 'When does it come?');
  const other = await ada.ask('c2', 'Is it there?');
  await ada.rate('c1', first, 'up', { note: 'Quick' });
  await ada.rate('c1', second, 'down');
  await ada.rate('c1', second, null);
  await ada.rate('c2', other, 'down');
  await operator.rate('c1', second, 'down');

  expect(await ada.read('c1')).toEqual({ [first]: { rating: 'up', note: 'Quick' } });
  expect(await ada.read('c2')).toEqual({ [other]: { rating: 'down', note: null } });
});

it('withdraws a rating with its note, also one that was never given', async () => {
  const { ada, operator } = await open();
  const reply = await ada.ask('c1', 'Where is it?');
  expect(await ada.rate('c1', reply, null)).toMatchObject({ status: 200, data: { rating: null, note: null } });
  expect(await operator.given()).toEqual([]);

  await ada.rate('c1', reply, 'down', { note: 'Wrong' });
  expect(await ada.rate('c1', reply, null, { note: 'Wrong' })).toMatchObject({ data: { rating: null, note: null } });
  expect(await operator.rated('down')).toEqual([]);
  expect(JSON.stringify(await operator.given())).not.toContain('Wrong');
});

it('keeps the ratings of the user and of an operator apart', async () => {
  const { ada, operator } = await open();
  const reply = await ada.ask('c1', 'Where is it?');
  await ada.rate('c1', reply, 'up');
  expect(await operator.rate('c1', reply, 'down')).toMatchObject({ status: 200 });
  expect(await operator.rated('down')).toEqual([{ up: 1, down: 1 }]);
  await operator.rate('c1', reply, null);
  expect(await operator.rated('up')).toEqual([{ up: 1, down: 0 }]);
});

it('takes feedback of a user on replies in own conversations only, as if others did not exist', async () => {
  const { ada, bob, operator } = await open();
  const reply = await ada.ask('c1', 'Where is it?');
  const refused = await bob.rate('c1', reply, 'down');
  expect(refused).toMatchObject({ status: 404, error: 'Conversation not found: c1' });
  expect(await bob.rate('c2', reply, 'down')).toMatchObject({ status: 404, error: 'Conversation not found: c2' });
  expect(await bob.rate('c1', reply, 'down', { userId: 'ada' })).toMatchObject({ status: 403 });
  expect(await operator.given()).toEqual([]);
});

it('refuses what is no reply, and what is no rating', async () => {
  const { ada } = await open();
  const reply = await ada.ask('c1', 'Where is it?');
  const { data } = await ada.send('/api/memory/conversations/c1/messages?agentId=desk');
  const [question] = (data as { readonly messages: readonly { readonly id: string }[] }).messages;
  const cases = [
    [await ada.rate('c1', question?.id ?? '', 'up'), 400, 'body/messageId must be the id of a reply'],
    [await ada.rate('c1', 'unknown', 'up'), 404, 'Message not found: unknown'],
    [await ada.rate('c1', reply, 'good'), 400, expect.stringContaining('body/rating')],
    [await ada.rate('c1', reply, 'up', { note: 'x'.repeat(2_001) }), 400, expect.stringContaining('body/note')],
    [
      await ada.send('/agents/nobody/feedback', { conversationId: 'c1', messageId: reply, rating: 'up' }),
      404,
      'Agent not found: nobody',
    ],
  ] as const;
  for (const [reply_, status, error] of cases) expect(reply_).toMatchObject({ status, error });
});

it('finds the run of an old reply among many later ones', async () => {
  const { ada, operator } = await open();
  const reply = await ada.ask('c1', 'Where is it?');
  for (let count = 0; count < 25; count += 1) await ada.send('/agents/desk/text', { input: `Question ${count}` });
  expect(await ada.rate('c1', reply, 'up')).toMatchObject({ status: 200 });
  expect(await operator.rated('up')).toEqual([{ up: 1, down: 0 }]);
});

it('stores no note where no texts are recorded, and says so', async () => {
  const { ada, operator } = await open({ telemetry: { recordContent: false } });
  const reply = await ada.ask('c1', 'Where is it?');
  const given = await ada.rate('c1', reply, 'up', { note: 'Secret' });
  expect(given).toMatchObject({ data: { rating: 'up', note: null }, warnings: [expect.stringContaining('note')] });
  expect(await operator.rated('up')).toEqual([{ up: 1, down: 0 }]);
  expect(JSON.stringify(await operator.given())).not.toContain('Secret');
});

it('refuses feedback where nothing is recorded', async () => {
  const { ada } = await open({ telemetry: false });
  const reply = await ada.ask('c1', 'Where is it?');
  const error = `No trace is recorded of the reply ${reply}`;
  expect(await ada.rate('c1', reply, 'up')).toMatchObject({ status: 404, error });
});
