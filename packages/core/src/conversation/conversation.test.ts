import { expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { toTextReply } from '../chat/to-text-reply.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import { collectEvents, silentLogger } from '../testing/index.ts';

it('writes question and answer, and reads them in the next run', async () => {
  const { agent, options, stored, texts, promptLines } = agentWithMemory(['Hello Ada.', 'Ada.']);

  await agent.generateText('I am Ada', options);
  const result = await agent.generateText('Who am I?', options);

  expect(toTextReply(result)).toEqual({
    text: 'Ada.',
    usage: expect.anything(),
    finishReason: 'stop',
    toolCalls: [],
    toolResults: [],
    conversationId: 'c1',
  });
  expect(promptLines()).toEqual(['user: I am Ada', 'assistant: Hello Ada.', 'user: Who am I?']);
  expect(await texts()).toEqual(['user: I am Ada', 'assistant: Hello Ada.', 'user: Who am I?', 'assistant: Ada.']);
  const [asked, answered] = await stored();
  expect(asked?.parts).toEqual([{ type: 'text', text: 'I am Ada' }]);
  expect(answered?.parts).toEqual([{ type: 'step-start' }, { type: 'text', text: 'Hello Ada.', state: 'done' }]);
});

it('creates the conversation for the user, with the agent as resource', async () => {
  const { agent, options, storage } = agentWithMemory();

  await agent.generateText('Hi', { ...options, userId: undefined, user: { id: 'ada' } });

  expect(await storage.conversations.find({ user: 'ada' }, 'c1')).toMatchObject({
    id: 'c1',
    userId: 'ada',
    resourceId: 'a',
    title: '',
    metadata: {},
  });
});

it.each([
  ['without a conversation', { userId: 'ada' }],
  ['without a user', { conversationId: 'c1' }],
])('reads and writes nothing %s', async (_case, ids) => {
  const { agent, storage } = agentWithMemory();

  await agent.generateText('Hi', { ...ids, services: { logger: silentLogger } });

  expect(await storage.conversations.isTaken('c1')).toBe(false);
});

it('continues its own conversation that another run creates while this one looks for it', async () => {
  const { agent, options, save, storage, texts } = agentWithMemory();
  const { conversations } = storage;
  const isTaken = conversations.isTaken.bind(conversations);
  conversations.isTaken = async (id) => {
    await save(textMessage('first', 'user', 'First'));
    return isTaken(id);
  };

  await agent.generateText('Second', options);

  expect(await texts()).toEqual(['user: First', 'user: Second', 'assistant: Hello.']);
});

it('uses the memory of the server unless the agent sets its own or none', async () => {
  const { memory, model, options, storage } = agentWithMemory();
  const services = { logger: silentLogger, memory };
  const [silent, forgetful] = [new Agent({ id: 'a', model }), new Agent({ id: 'b', model, memory: false })];

  await forgetful.generateText('Hi', { ...options, services });
  expect(await storage.conversations.isTaken('c1')).toBe(false);
  await silent.generateText('Hi', { ...options, services });
  expect(await storage.conversations.isTaken('c1')).toBe(true);
  expect([silent.memoryIn(services), forgetful.memoryIn(services), silent.memoryIn({})]).toEqual([
    memory,
    undefined,
    undefined,
  ]);
});

it.each([
  [{ contextLimit: 2 }, 1],
  [{ contextLimit: 0 }, 0],
  [{ contextLimit: 2, memory: { options: { contextLimit: 1 } } }, 1],
  [{}, 3],
])('sends the newest messages to the model, up to the limit %j', async (asked, seen) => {
  const { agent, options, save, promptLines } = agentWithMemory(['Hi'], {}, { contextLimit: 3 });
  await save(
    ...['a', 'b', 'c', 'd', 'e'].map((id, index) => textMessage(id, index % 2 === 0 ? 'user' : 'assistant', id)),
  );

  await agent.generateText('new', { ...options, ...asked });

  expect(promptLines()).toEqual(
    [...['user: a', 'assistant: b', 'user: c', 'assistant: d', 'user: e'].slice(5 - seen), 'user: new'].slice(),
  );
});

it('refuses an invalid limit', async () => {
  const { agent, options } = agentWithMemory();

  await expect(agent.generateText('Hi', { ...options, contextLimit: -1 })).rejects.toMatchObject({
    kind: 'invalid-input',
  });
});

it('prefers the nested form of conversation and user', async () => {
  const { agent, options, storage } = agentWithMemory();

  await agent.generateText('Hi', { ...options, memory: { conversationId: 'c2', userId: 'bob' } });

  expect(await storage.conversations.find({ user: 'bob' }, 'c2')).toBeDefined();
  expect(await storage.conversations.isTaken('c1')).toBe(false);
});

it('reports the conversation of another user as not found, and does not call the model', async () => {
  const { agent, model, options, save, stored } = agentWithMemory();
  await save(textMessage('a', 'user', 'Secret'));

  await expect(
    agent.streamText('What did I say?', { ...options, user: { id: 'bob' }, userId: 'bob' }),
  ).rejects.toMatchObject({
    kind: 'not-found',
    code: 'CONVERSATION_NOT_FOUND',
    message: 'Conversation not found: c1',
  });
  await expect(agent.generateText('What did I say?', { ...options, userId: 'bob' })).rejects.toMatchObject({
    kind: 'invalid-input',
  });
  expect(model.calls).toEqual([]);
  expect(await stored()).toHaveLength(1);
});

it('writes nothing in read-only mode', async () => {
  const { agent, memory, options, save, stored, promptLines } = agentWithMemory();
  await save(textMessage('a', 'user', 'I am Ada'));

  await agent.generateText('Who?', { ...options, memory: { options: { readOnly: true } } });

  expect(promptLines()).toEqual(['user: I am Ada', 'user: Who?']);
  expect(await stored()).toHaveLength(1);
  const reader = new Agent({ id: 'r', model: agentWithMemory().model, memory });
  await reader.generateText('Hi', { ...options, conversationId: 'new', memory: { options: { readOnly: true } } });
  expect(await memory.storage.conversations.isTaken('new')).toBe(false);
});

it('stores a streamed answer under its message id before the event finish', async () => {
  const { agent, options, stored } = agentWithMemory();

  const stream = await agent.streamText('Hi', { ...options, messageId: 'm1' });
  expect(stream.messageId).toBe('m1');
  const events = await collectEvents(stream);

  expect(events.at(-1)).toMatchObject({ type: 'finish' });
  expect((await stored()).map(({ id }) => id)).toEqual([expect.stringMatching(/-0$/), 'm1']);
});

it('stores the text of an object as the answer, after a repair the last one', async () => {
  const { agent, options, texts } = agentWithMemory(['{"city":1}', '{"city":"Rome"}']);
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;

  const { object } = await agent.generateObject('Where?', { ...options, schema });

  expect(object).toEqual({ city: 'Rome' });
  expect(await texts()).toEqual(['user: Where?', 'assistant: {"city":"Rome"}']);
  const events = await collectEvents(await agent.streamObject('And now?', { ...options, schema }));
  expect(events.at(-1)).toMatchObject({ type: 'object' });
  expect((await texts()).slice(2)).toEqual(['user: And now?', 'assistant: {"city":"Rome"}']);
});
