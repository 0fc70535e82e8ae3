import type { Message } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { agentWithMemory } from '../../../memory/testing/agent-with-memory.ts';
import { textMessage } from '../../../memory/testing/text-message.ts';
import type { InputUIMessage } from '../../../model/message.ts';

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

    await agent.generateText([look('a3') as InputUIMessage], { ...options, contextLimit: 4 });

    expect(promptLines()).toEqual([
      'user: Two',
      'assistant: Seen.',
      'user: Three',
      'assistant: [tool-call]',
      'tool: [tool-result]',
    ]);
  });

  it('contains what the assistant said before the first question', async () => {
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
