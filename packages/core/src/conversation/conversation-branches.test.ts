import { expect, it } from 'vitest';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import type { InputUIMessage } from '../model/messages/message.ts';
import { isInactive } from './branch.ts';

const user = (id: string, text = id): InputUIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const assistant = (id: string): InputUIMessage => ({ ...user(id), role: 'assistant' });

/** A conversation of three turns, as the list of a client names its messages. */
async function threeTurns(agentOptions = {}) {
  const opened = agentWithMemory(['New.', 'Newer.', 'Newest.'], agentOptions);
  const ids = ['u1', 'a1', 'u2', 'a2', 'u3', 'a3'];
  await opened.save(...ids.map((id) => textMessage(id, id.startsWith('u') ? 'user' : 'assistant', id)));
  const list = (...names: string[]): InputUIMessage[] =>
    names.map((id) => (id.startsWith('u') || id.startsWith('n') ? user(id) : assistant(id)));
  /** The texts of the active messages and, in brackets, of the others. */
  const lines = async (): Promise<string> =>
    (await opened.stored())
      .map((message) => {
        const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
        return isInactive(message) ? `(${text})` : text;
      })
      .join(' ');
  const prompt = (): string =>
    opened
      .promptLines()
      .map((line) => line.replace(/^\w+: /, ''))
      .join(' ');
  return { ...opened, list, lines, prompt };
}

it('continues at the message after which a client has edited a question under a new id', async () => {
  const { agent, lines, list, options, prompt } = await threeTurns();
  await agent.generateText(list('u1', 'a1', 'n2'), options);

  expect(prompt()).toBe('u1 a1 n2');
  expect(await lines()).toBe('u1 a1 (u2) (a2) (u3) (a3) n2 New.');
});

it('continues a branch that was left out, and leaves out the other one', async () => {
  const { agent, lines, list, options, prompt } = await threeTurns();
  await agent.generateText(list('u1', 'a1', 'n2'), options);
  await agent.generateText(list('u1', 'a1', 'u2', 'a2', 'u3', 'a3', 'n4'), options);

  expect(prompt()).toBe('u1 a1 u2 a2 u3 a3 n4');
  expect(await lines()).toBe('u1 a1 u2 a2 u3 a3 (n2) (New.) n4 Newer.');

  await agent.generateText(list('u1', 'a1', 'n2', 'n5'), options);
  expect(prompt()).toBe('u1 a1 n2 n5');
  expect(await lines()).toBe('u1 a1 (u2) (a2) (u3) (a3) n2 (New.) (n4) (Newer.) n5 Newest.');
});

it('continues with the newest message alone on the branch that is active', async () => {
  const { agent, list, options, prompt } = await threeTurns();
  await agent.generateText(list('u1', 'a1', 'n2'), options);
  await agent.generateText(list('n3'), options);
  expect(prompt()).toBe('u1 a1 n2 New. n3');
  await agent.generateText('more', options);
  expect(prompt()).toBe('u1 a1 n2 New. n3 Newer. more');
});

it.each([
  ['the newest message only', ['n4']],
  ['the newest stored message and a new one', ['a3', 'n4']],
  ['a list that starts later', ['u2', 'a2', 'u3', 'a3', 'n4']],
  ['all messages', ['u1', 'a1', 'u2', 'a2', 'u3', 'a3', 'n4']],
  ['a list without some in the middle', ['u1', 'a1', 'u3', 'a3', 'n4']],
  ['new messages only', ['n3', 'n4']],
])('leaves nothing out for a client that sends %s', async (_, names) => {
  const { agent, list, lines, options } = await threeTurns();
  await agent.generateText(list(...names), options);
  expect(await lines()).not.toContain('(');
});

it('leaves out messages that a client has removed', async () => {
  const { agent, list, lines, options, prompt } = await threeTurns();
  await agent.generateText(list('u1', 'a1', 'u3', 'n4'), options);
  expect(prompt()).toBe('u1 a1 u3 n4');
  expect(await lines()).toBe('u1 a1 (u2) (a2) u3 (a3) n4 New.');
});

it('stores an answer that the client has under another id once in the prompt', async () => {
  const { agent, list, lines, options, prompt } = await threeTurns();
  await agent.generateText(list('u3', 'b3', 'n4'), options);
  expect(prompt()).toBe('u1 a1 u2 a2 u3 b3 n4');
  expect(await lines()).toBe('u1 a1 u2 a2 u3 (a3) b3 n4 New.');
});

it('sends the answer of a branch again, and refuses late requests', async () => {
  const { agent, lines, list, model, options } = await threeTurns();
  const { text } = await agent.generateText(list('u1', 'a1', 'n2'), options);
  const before = await lines();
  expect((await agent.generateText(list('u1', 'a1', 'n2'), options)).text).toBe(text);
  for (const late of [list('u1', 'a1', 'u2'), list('u1'), list('u3')])
    await expect(agent.generateText(late, options)).rejects.toMatchObject({ code: 'MESSAGE_ANSWERED' });
  expect(await lines()).toBe(before);
  expect(model.calls).toHaveLength(1);
});

it.each(['regenerate', 'edit'] as const)('answers a question that was left out again: %s', async (resend) => {
  const { agent, lines, list, options, prompt } = await threeTurns();
  await agent.generateText(list('u1', 'a1', 'n2'), options);
  const asked = user('u2', resend === 'edit' ? 'changed' : 'u2');
  await agent.generateText([...list('u1', 'a1'), asked], { ...options, resend });

  const text = resend === 'edit' ? 'changed' : 'u2';
  expect(prompt()).toBe(`u1 a1 ${text}`);
  expect(await lines()).toBe(`u1 a1 ${text} (a2) (u3) (a3) (n2) (New.) Newer.`);
});

it('reads on where a window has messages that were left out', async () => {
  const { agent, list, options, prompt } = await threeTurns();
  await agent.generateText(list('u1', 'a1', 'n2'), options);
  await agent.generateText('more', { ...options, contextLimit: 3 });
  expect(prompt()).toBe('u1 a1 n2 New. more'.slice('u1 a1 '.length));
});

it('lists the active messages, and all of them on request', async () => {
  const { agent, list, memory, options } = await threeTurns();
  await agent.generateText(list('u1', 'a1', 'n2'), options);
  const ids = async (filter: { limit: number; includeInactive?: boolean }): Promise<string[]> =>
    (await memory.messages({ user: 'ada' }, 'c1', filter)).messages.map(({ id }) => id);
  const [answer = ''] = (await ids({ limit: 10 })).slice(-1);
  expect(await ids({ limit: 10 })).toEqual(['u1', 'a1', 'n2', answer]);
  expect(await ids({ limit: 3 })).toEqual(['a1', 'n2', answer]);
  expect(await ids({ limit: 10, includeInactive: true })).toEqual(['u1', 'a1', 'u2', 'a2', 'u3', 'a3', 'n2', answer]);
});

it('writes nothing for a branch that is read-only', async () => {
  const { agent, list, options, prompt, stored } = await threeTurns();
  const before = await stored();
  await agent.generateText(list('u1', 'a1', 'n2'), { ...options, memory: { options: { readOnly: true } } });
  expect(prompt()).toBe('u1 a1 n2');
  expect(await stored()).toEqual(before);
});
