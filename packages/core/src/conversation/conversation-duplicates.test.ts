import { expect, it } from 'vitest';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import type { InputUIMessage } from '../model/messages/message.ts';
import { collectEvents } from '../testing/index.ts';

const user = (id: string, text: string): InputUIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });

it('returns the stored answer to a message that was sent twice, and changes nothing', async () => {
  const { agent, model, options, stored } = agentWithMemory(['Hello.', 'again']);
  const first = await agent.generateText([user('u1', 'Hi')], options);
  const before = await stored();

  const second = await agent.generateText([user('u1', 'Hi')], options);
  const stream = await agent.streamText([user('u1', 'another text')], options);
  const events = await collectEvents(stream);

  expect(second).toMatchObject({ text: first.text, finishReason: 'stop', usage: { totalTokens: 0 } });
  expect(events.map(({ type }) => type)).toEqual([
    'start',
    'start-step',
    'text-start',
    'text-delta',
    'text-end',
    'finish-step',
    'finish',
  ]);
  expect(stream.messageId).toBe(before[1]?.id);
  expect(await stored()).toEqual(before);
  expect(model.calls).toHaveLength(1);
});

it.each([1, 10])('refuses a late duplicate, with a window of %i messages', async (contextLimit) => {
  const { agent, model, options, save, stored } = agentWithMemory();
  await save(
    textMessage('u1', 'user', 'One'),
    textMessage('a1', 'assistant', 'First.'),
    textMessage('u2', 'user', 'Two'),
    textMessage('a2', 'assistant', 'Second.'),
  );
  const before = await stored();

  await expect(agent.generateText([user('u1', 'One')], { ...options, contextLimit })).rejects.toMatchObject({
    kind: 'conflict',
    code: 'MESSAGE_ANSWERED',
  });

  expect(await stored()).toEqual(before);
  expect(model.calls).toEqual([]);
});

it('answers a stored message that has no answer, once', async () => {
  const { agent, options, save, texts } = agentWithMemory(['Hello.']);
  await save(textMessage('u1', 'user', 'Hi'));

  await agent.generateText([user('u1', 'Hi')], options);
  await agent.generateText([user('u1', 'Hi')], options);

  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.']);
});

it('answers a question again whose stored answer has no content', async () => {
  const { agent, options, save, texts } = agentWithMemory(['Hello.']);
  await save(textMessage('u1', 'user', 'Hi'), {
    id: 'a1',
    role: 'assistant',
    parts: [{ type: 'step-start' }, { type: 'custom', kind: 'p.started' }],
  });

  await agent.generateText([user('u1', 'Hi')], options);

  expect(await texts()).toEqual(['user: Hi', 'assistant: Hello.']);
});

it('replaces a message that was edited, but not one that was edited to the same text', async () => {
  const { agent, options, texts } = agentWithMemory(['Hello.', 'Bonjour.', 'Three.']);
  await agent.generateText([user('u1', 'Hi')], options);
  const edit = () => agent.generateText([user('u1', 'Salut')], { ...options, resend: 'edit' });

  await edit();
  expect((await edit()).text).toBe('Bonjour.');
  expect(await texts()).toEqual(['user: Salut', 'assistant: Bonjour.']);

  await agent.generateText([user('u1', 'Salut')], { ...options, resend: 'regenerate' });
  expect(await texts()).toEqual(['user: Salut', 'assistant: Three.']);
});
