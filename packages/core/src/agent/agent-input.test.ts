import { expect, it } from 'vitest';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import type { AgentInput } from '../model/messages/message.ts';
import { scriptedModel } from '../testing/index.ts';
import { newestUserText } from './agent-input.ts';
import type { AgentOptions } from './agent-options.ts';
import { Agent } from './agent.ts';

async function promptOf(input: AgentInput, options: Partial<AgentOptions> = {}) {
  const model = scriptedModel('Hi');
  await new Agent({ id: 'a', model, ...options }).generateText(input);
  return model.calls[0]?.prompt;
}

const user = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };

it('accepts a text, UI messages without ids, and model messages', async () => {
  expect(await promptOf('Hello')).toEqual([user]);
  expect(await promptOf([{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }])).toEqual([user]);
  expect(await promptOf([{ role: 'user', content: 'Hello' }])).toEqual([user]);
});

it('adds the texts of system messages to the instructions, after the agent’s own', async () => {
  const input: AgentInput = [
    { role: 'system', content: 'Answer in French.' },
    { role: 'user', content: 'Hello' },
    { role: 'system', content: 'Use no emoji.' },
  ];

  expect(await promptOf(input, { instructions: 'Be brief.' })).toEqual([
    { role: 'system', content: 'Be brief.\n\nAnswer in French.\n\nUse no emoji.' },
    user,
  ]);
  expect(await promptOf(input)).toMatchObject([
    { role: 'system', content: 'Answer in French.\n\nUse no emoji.' },
    user,
  ]);
  expect(
    await promptOf([
      { role: 'system', parts: [{ type: 'text', text: 'Answer in French.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
    ]),
  ).toMatchObject([{ content: 'Answer in French.' }, user]);
});

it('refuses system messages where the agent does not accept them', async () => {
  await expect(
    promptOf(
      [
        { role: 'system', content: 'x' },
        { role: 'user', content: 'y' },
      ],
      { acceptSystemMessages: false },
    ),
  ).rejects.toMatchObject({
    kind: 'invalid-input',
    code: 'SYSTEM_MESSAGES_NOT_ACCEPTED',
  });
});

it.each<[string, unknown]>([
  ['an empty list', []],
  ['system messages alone', [{ role: 'system', content: 'x' }]],
  [
    'UI messages among model messages',
    [
      { role: 'user', content: 'x' },
      { role: 'user', parts: [] },
    ],
  ],
  ['what is no message', [null]],
  ['a text in the list', ['Hello']],
  ['an unknown role', [{ role: 'robot', content: 'x' }]],
  ['a message without content', [{ role: 'user' }]],
  ['a message whose content is a number', [{ role: 'user', content: 5 }]],
  [
    'a tool message with a text',
    [
      { role: 'user', content: 'x' },
      { role: 'tool', content: 'y' },
    ],
  ],
  ['parts that are no list', [{ role: 'user', parts: 'x' }]],
  ['parts that are nothing', [{ role: 'user', parts: [null] }]],
  [
    'an unknown UI part of the assistant',
    [
      { role: 'user', parts: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', parts: [{ type: 'file', url: 'no url', mediaType: 'x/y' }] },
    ],
  ],
])('refuses %s as invalid input', async (_what, input) => {
  await expect(promptOf(input as AgentInput)).rejects.toMatchObject({ kind: 'invalid-input' });
});

const blank: readonly AgentInput[] = [
  '',
  ' \n',
  [{ role: 'user', content: [] }],
  [{ role: 'user', content: [{ type: 'text', text: ' ' }] }],
  [{ role: 'user', parts: [] }],
  [{ role: 'user', parts: [{ type: 'data-place', data: 'Oslo' }] }],
  [
    { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
    { role: 'user', parts: [{ type: 'text', text: '' }] },
    { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
  ],
];

it.each(blank.map((input) => ({ input })))(
  'refuses a last message with nothing for the model: $input',
  async ({ input }) => {
    const { agent, options, storage } = agentWithMemory();

    await expect(agent.generateText(input)).rejects.toThrow(
      'body/input must end with a message that has text or a file',
    );
    await expect(agent.generateText(input, options)).rejects.toMatchObject({ kind: 'invalid-input' });
    expect(await storage.conversations.isTaken('c1')).toBe(false);
  },
);

it('neither sends nor stores earlier messages of the user that have nothing for the model', async () => {
  const input: AgentInput = [
    { role: 'user', parts: [{ type: 'text', text: '' }] },
    { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
  ];

  expect(await promptOf(input)).toEqual([user]);
});

it('finds the text of the newest message of a user, without its files', () => {
  const file = { type: 'file' as const, mediaType: 'image/png', data: 'AAAA' };
  const answer = { role: 'assistant' as const, content: 'Yes.' };
  expect(newestUserText([{ role: 'user', content: 'One' }, answer])).toBe('One');
  const parts = [{ type: 'text' as const, text: 'Two' }, file, { type: 'text' as const, text: 'Three' }];
  const asked = [{ role: 'user' as const, content: 'One' }, answer, { role: 'user' as const, content: parts }];
  expect(newestUserText(asked)).toBe('Two\nThree');
  expect(newestUserText([answer])).toBeUndefined();
});
