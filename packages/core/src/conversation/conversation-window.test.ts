import type { Message } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import type { InputUIMessage } from '../model/messages/message.ts';

describe('the window of stored messages', () => {
  const look = (id: string): Message => ({
    id,
    role: 'assistant',
    parts: [{ type: 'tool-look', toolCallId: id, state: 'output-available', input: {}, output: 1 }],
  });
  const history = [
    textMessage('u1', 'user', 'One'),
    look('a1'),
    textMessage('u2', 'user', 'Two'),
    textMessage('a2', 'assistant', 'Seen.'),
  ];

  it.each([
    [4, ['user: One', 'assistant: [tool-call]', 'tool: [tool-result]', 'user: Two', 'assistant: Seen.']],
    [3, ['user: Two', 'assistant: Seen.']],
    [2, ['user: Two', 'assistant: Seen.']],
    [1, []],
  ])('of %i begins with a message of the user', async (contextLimit, expected) => {
    const { agent, options, promptLines, save } = agentWithMemory();
    await save(...history);

    await agent.generateText('So?', { ...options, contextLimit });

    expect(promptLines()).toEqual([...expected, 'user: So?']);
  });

  it('begins with a message of the user when a stored message is continued', async () => {
    const { agent, options, promptLines, save } = agentWithMemory();
    await save(...history, textMessage('u3', 'user', 'Three'), look('a3'));

    await agent.generateText([look('a3') as InputUIMessage], { ...options, contextLimit: 3 });

    expect(promptLines()).toEqual([
      'user: Two',
      'assistant: Seen.',
      'user: Three',
      'assistant: [tool-call]',
      'tool: [tool-result]',
    ]);
  });

  it.each([
    // Ten messages and up to five more: each prompt begins like the one before, but for the 8th,
    // 11th, 13th and 16th.
    [10, [0, 0, 0, 0, 0, 0, 0, 0, 6, 6, 6, 10, 10, 16, 16, 16, 20]],
    [4, [0, 0, 0, 0, 2, 4, 6, 8, 10]],
    [20, [...Array.from({ length: 16 }, () => 0), 10, 10, 10, 10, 10, 20, 20]],
    [3, [0, 0, 2, 4, 6]],
  ])('of %i is cut in blocks, so that prompts begin alike for several turns', async (contextLimit, firsts) => {
    const { agent, options, promptLines } = agentWithMemory(['Yes.']);
    const seen: number[] = [];
    for (const turn of firsts.keys()) {
      await agent.generateText(`Question ${turn}`, { ...options, contextLimit });
      const [first = ''] = promptLines();
      seen.push(2 * Number(first.replace('user: Question ', '')));
      expect(promptLines().length - 1).toBe(2 * turn - (seen.at(-1) ?? 0));
    }
    expect(seen).toEqual(firsts);
  });

  it('begins with the same message whichever question is answered again', async () => {
    const { agent, options, promptLines, save } = agentWithMemory();
    const talk = Array.from({ length: 24 }, (_, index) =>
      textMessage(`m${index}`, index % 2 === 0 ? 'user' : 'assistant', `Text ${index}`),
    );
    await save(...talk);

    const again = [{ id: 'm22', role: 'user', parts: [{ type: 'text', text: 'Text 22' }] }] as InputUIMessage[];
    await agent.generateText(again, { ...options, contextLimit: 10, resend: 'regenerate' });

    expect([promptLines()[0], promptLines().length]).toEqual(['user: Text 10', 13]);
  });

  it('contains messages of the assistant before the first question', async () => {
    const { agent, options, promptLines, save } = agentWithMemory();
    await save(textMessage('a0', 'assistant', 'Welcome.'));

    await agent.generateText('Hi', { ...options, contextLimit: 2 });

    expect(promptLines()).toEqual([
      'user: [The assistant begins the conversation.]',
      'assistant: Welcome.',
      'user: Hi',
    ]);
  });
});
