import { type Message, silentLogger, type Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { providerError } from '../model/testing/provider-error.ts';
import { type ScriptedModel, scriptedModel } from '../testing/scripted-model.ts';
import type { MemoryOptions } from './memory-options.ts';
import { createMemory, type Memory } from './memory.ts';
import { cleanTitle } from './titles.ts';
import type { WrittenMessages } from './written-messages.ts';

function message(role: Message['role'], text: string): Message {
  return { id: role, role, parts: [{ type: 'text', text }] };
}

interface Answered {
  readonly memory: Memory;
  readonly storage: Storage;
  readonly turn: WrittenMessages;
  readonly title: () => Promise<string | undefined>;
}

async function answered(model: ScriptedModel, titles: NonNullable<MemoryOptions['titles']> = true): Promise<Answered> {
  const storage = createInMemoryStorage();
  const memory = createMemory({ storage, titles });
  await memory.create({ id: 'c1', userId: 'ada', resourceId: 'default', title: '', metadata: { stored: true } });
  const turn: WrittenMessages = {
    conversationId: 'c1',
    userId: 'ada',
    isFirst: true,
    messages: [message('user', 'How do I brew green tea?'), message('assistant', 'With water of 80 degrees.')],
    dropped: [],
    models: [model],
    logger: silentLogger,
  };
  const title = async (): Promise<string | undefined> => (await storage.conversations.find('anyone', 'c1'))?.title;
  return { memory, storage, turn, title };
}

it('gives a conversation a title after its first answer, by the model of the agent', async () => {
  const model = scriptedModel('Brewing green tea');
  const { memory, turn, title } = await answered(model);

  memory.afterWrite(turn);
  expect(await title()).toBe('');
  await memory.flush();

  expect(await title()).toBe('Brewing green tea');
  expect((await memory.get('anyone', 'c1')).metadata).toEqual({ stored: true });
  expect(model.calls[0]?.prompt).toEqual([
    { role: 'system', content: expect.stringContaining('Name the topic') },
    {
      role: 'user',
      content: [{ type: 'text', text: 'User: How do I brew green tea?\n\nAssistant: With water of 80 degrees.' }],
    },
  ]);
});

it('uses the configured model and instructions', async () => {
  const own = scriptedModel('Thé vert');
  const agents = scriptedModel('Brewing green tea');
  const { memory, turn, title } = await answered(agents, { model: own, instructions: 'In French.', maxLength: 5 });

  memory.afterWrite(turn);
  await memory.flush();

  expect(await title()).toBe('Thé');
  expect(own.calls[0]?.prompt[0]).toEqual({ role: 'system', content: 'In French.' });
  expect(agents.calls).toEqual([]);
});

it('gives no title after a later turn, or to a conversation that has a title or was deleted', async () => {
  const model = scriptedModel('A title');
  const { memory, storage, turn, title } = await answered(model);

  memory.afterWrite({ ...turn, isFirst: false });
  await memory.flush();
  expect(await title()).toBe('');
  memory.afterWrite({ ...turn, messages: [message('user', ' ')] });
  await memory.flush();
  await storage.conversations.update('anyone', 'c1', { title: 'Mine' });
  memory.afterWrite(turn);
  await memory.flush();
  expect(await title()).toBe('Mine');
  await memory.delete('anyone', 'c1');
  memory.afterWrite(turn);
  await memory.flush();

  expect(await title()).toBeUndefined();
  expect(model.calls).toEqual([]);
});

it('does not replace a title that is set during the call of the model', async () => {
  const setting = await answered(
    scriptedModel(async () => {
      await setting.storage.conversations.update('anyone', 'c1', { title: 'Mine' });
      return 'A title';
    }),
  );
  setting.memory.afterWrite(setting.turn);
  await setting.memory.close();

  expect(await setting.title()).toBe('Mine');
});

it('gives no title to a conversation that another user creates with the same id during the call of the model', async () => {
  const setting = await answered(
    scriptedModel(async () => {
      await setting.memory.delete({ user: 'ada' }, 'c1');
      await setting.memory.create({ id: 'c1', userId: 'bob', resourceId: 'default', title: '', metadata: {} });
      return 'Divorce of Ada';
    }),
  );

  setting.memory.afterWrite(setting.turn);
  await setting.memory.flush();

  expect((await setting.memory.get({ user: 'bob' }, 'c1')).title).toBe('');
});

it('only logs a title that could not be created', async () => {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, text: string) => void warnings.push(text) };
  const { memory, turn, title } = await answered(scriptedModel({ error: new Error('away') }));

  memory.afterWrite({ ...turn, logger });
  await memory.flush();

  expect(await title()).toBe('');
  expect(warnings.at(-1)).toBe('a title could not be created');
});

it('logs the report of the provider once, without the conversation', async () => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object, text: string) => void lines.push([fields, text]) };
  const rejected = providerError('Invalid key', 401, { input: 'How do I brew green tea?' });
  const { memory, turn } = await answered(scriptedModel({ error: rejected }));

  memory.afterWrite({ ...turn, logger });
  await memory.flush();

  expect(lines).toEqual([[{ reason: 'scripted answered 401: Invalid key' }, 'a title could not be created']]);
});

it('gives titles to many conversations, a few at a time', async () => {
  const storage = createInMemoryStorage();
  const memory = createMemory({ storage, titles: true });
  let running = 0;
  let most = 0;
  const model = scriptedModel(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return 'Named';
  });
  const ids = Array.from({ length: 20 }, (_, index) => `c${index}`);
  for (const id of ids) {
    await memory.create({ id, userId: 'ada', resourceId: 'default', title: '', metadata: {} });
    memory.afterWrite({
      conversationId: id,
      userId: 'ada',
      isFirst: true,
      messages: [message('user', 'Hello')],
      dropped: [],
      models: [model],
      logger: silentLogger,
    });
  }
  await memory.flush();

  const { conversations } = await memory.list('anyone', { orderBy: 'title', direction: 'asc', limit: 50, offset: 0 });
  expect(conversations.map(({ title }) => title)).toEqual(ids.map(() => 'Named'));
  expect(most).toBe(4);
});

it.each([
  ['"Brewing Tea"', 'Brewing Tea'],
  ['Title: „Grüner Tee“.', 'Grüner Tee'],
  ['**Brewing  tea**\n\nIt is about tea.', 'Brewing tea'],
  ['\n# Tea', 'Tea'],
  ['What is tea?', 'What is tea?'],
  [' \t\n \n\tTea\t of\u00a0 China \n', 'Tea of China'],
  ['TITLE:_`Tea`_', 'Tea'],
  ['# **Title:** *Tea*', 'Tea'],
  ["'Tea'", 'Tea'],
  ['«Thé vert».', 'Thé vert'],
  ['‘Tea’...', 'Tea'],
  ['“Tea”', 'Tea'],
  ['The title: tea', 'The title: tea'],
  ['The "best" tea of _all_ times', 'The "best" tea of _all_ times'],
  ['Tea. And coffee', 'Tea. And coffee'],
  ['C#', 'C#'],
  ['"', ''],
  ['\n \n', ''],
  ['<think>The user asks about tea.</think>\n\nGreen tea', 'Green tea'],
  ['<thinking>\nTea.\n</thinking>Green tea<think>Done.</think>', 'Green tea'],
  ['The user asks about tea.\n</THINK>\nGreen tea', 'Green tea'],
  ['<think>The user asks', ''],
  ['<think>a</think><think>b', ''],
  ['How to <b>think</b>', 'How to <b>think</b>'],
  ['', ''],
])('converts the answer of the model to one line: %j', (answer, title) => {
  expect(cleanTitle(answer, 60)).toBe(title);
});

it.each([
  ['a b c d e f g h', 'a b c d e'],
  ['ab cdefghi jkl', 'ab cdefghi'],
  ['abcdefghijklmno', 'abcdefghij'],
  ['abcdefghij', 'abcdefghij'],
  ['abcd fghij', 'abcd fghij'],
  ['abcdefghi jk', 'abcdefghi'],
  ['abc defghijklmno', 'abc'],
  ['😀😀😀😀😀😀😀😀😀😀😀', '😀😀😀😀😀😀😀😀😀😀'],
])('shortens a title of more than ten characters at a word: %j', (answer, title) => {
  expect(cleanTitle(answer, 10)).toBe(title);
});

it.each<[string, readonly Message[], string | undefined]>([
  ['only a question', [message('user', 'Tea?')], 'Tea?'],
  ['only an answer', [message('assistant', 'Tea.')], 'Tea.'],
  ['an answer with reasoning', [message('assistant', '<think>Which tea?</think>\n\nTea.')], 'Tea.'],
  ['a question about a tag', [message('user', 'What is <think>?')], 'What is <think>?'],
  ['an empty question', [message('user', ' '), message('assistant', 'Tea.')], 'Tea.'],
  ['long texts', [message('user', 'q'.repeat(2_000)), message('assistant', `${'a'.repeat(1_499)}😀`)], undefined],
])('describes %s to the model', async (_, messages, text) => {
  const model = scriptedModel('Tea');
  const { memory, turn, title } = await answered(model);

  memory.afterWrite({ ...turn, messages });
  await memory.flush();

  const long = `User: ${'q'.repeat(1_500)}\n\nAssistant: ${'a'.repeat(1_499)}\ufffd`;
  expect(model.calls[0]?.prompt[1]).toEqual({ role: 'user', content: [{ type: 'text', text: text ?? long }] });
  expect(await title()).toBe('Tea');
});

it('creates titles from the text of the model alone, and none from an empty one', async () => {
  const thinking = await answered(scriptedModel({ reasoning: 'Hm, tea.', text: ['Green', ' tea'] }));
  thinking.memory.afterWrite(thinking.turn);
  await thinking.memory.flush();
  expect(await thinking.title()).toBe('Green tea');

  const silent = await answered(scriptedModel('""'));
  const update = vi.spyOn(silent.storage.conversations, 'update');
  silent.memory.afterWrite(silent.turn);
  await silent.memory.flush();
  expect(update).not.toHaveBeenCalled();
});

it('logs that a title could not be stored, and creates the next one', async () => {
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) };
  const { memory, storage, turn, title } = await answered(scriptedModel('Tea'));
  const lost = new Error('connection lost');
  vi.spyOn(storage.conversations, 'update').mockRejectedValueOnce(lost);

  memory.afterWrite({ ...turn, logger });
  await memory.flush();
  expect(warnings).toEqual([[{ err: lost }, 'a title could not be created']]);
  memory.afterWrite(turn);
  await memory.close();

  expect(await title()).toBe('Tea');
});

it('creates no title while more than 1000 conversations wait, and logs it', async () => {
  const go = Promise.withResolvers<string>();
  const lines: unknown[] = [];
  const logger = { ...silentLogger, error: (...line: unknown[]) => void lines.push(line) };
  const { memory, turn, title } = await answered(scriptedModel(() => go.promise));

  for (let count = 0; count < 1004; count += 1) memory.afterWrite({ ...turn, logger });
  expect(lines).toEqual([]);
  memory.afterWrite({ ...turn, logger });
  expect(lines).toEqual([[{ waiting: 1000 }, expect.stringContaining('too many conversations wait')]]);
  go.resolve('Tea');
  await memory.flush();

  expect(await title()).toBe('Tea');
});

it('creates no title without the option, and none for a conversation that is gone, without a word', async () => {
  const lines: unknown[] = [];
  const logger = { ...silentLogger, warn: (...line: unknown[]) => void lines.push(line) };
  const model = scriptedModel('Tea');
  const { memory, storage, turn, title } = await answered(model);
  const untitled = createMemory({ storage });
  untitled.afterWrite({ ...turn, logger });
  await untitled.close();
  expect(await title()).toBe('');
  await storage.conversations.delete('anyone', 'c1');
  memory.afterWrite({ ...turn, logger });
  await memory.flush();
  expect([model.calls, lines]).toEqual([[], []]);
});
