import { ConfigurationError } from '@halyard/contracts';
import type { Instructions as SdkInstructions } from 'ai';
import { expect, expectTypeOf, it } from 'vitest';
import { createMemory } from '../memory/memory.ts';
import type { AgentInput } from '../model/messages/message.ts';
import { scriptedModel, silentLogger } from '../testing/index.ts';
import type { AgentOptions } from './agent-options.ts';
import { Agent } from './agent.ts';
import type { Instructions } from './instructions.ts';

const cached = {
  role: 'system',
  content: 'You know this manual: …',
  providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
} as const;
const brief = { role: 'system', content: 'Be brief.' } as const;

async function systemOf(options: Omit<AgentOptions, 'id' | 'model'>, input: AgentInput = 'Hello') {
  const model = scriptedModel('Hi');
  const agent = new Agent({ id: 'a', model, ...options });
  await agent.generateText(input, { conversationId: 'c', userId: 'u', services: { logger: silentLogger } });
  return model.calls[0]?.prompt.filter(({ role }) => role === 'system');
}

it.each<[string, Instructions]>([
  ['a message', cached],
  ['a list of messages', [cached, brief]],
])('sends %s as it is', async (_, instructions) => {
  expect(await systemOf({ instructions })).toEqual([instructions].flat());
  expect(await systemOf({ instructions: async () => instructions })).toEqual([instructions].flat());
});

it('keeps messages apart from those of the memory and the request, which come after them', async () => {
  const memory = createMemory({ workingMemory: {} });
  const input: AgentInput = [
    { role: 'system', content: 'Answer in French.' },
    { role: 'user', content: 'Hello' },
  ];

  const system = await systemOf({ instructions: [cached, brief], memory }, input);

  expect(system).toHaveLength(3);
  expect(system?.slice(0, 2)).toEqual([cached, brief]);
  expect(system?.[2]?.content).toMatch(/working memory[\s\S]*\n\nAnswer in French\.$/i);
});

it('keeps the options of a system message of the request', async () => {
  const input: AgentInput = [
    cached,
    { role: 'system', content: 'Answer in French.' },
    { role: 'user', content: 'Hello' },
  ];

  expect(await systemOf({ instructions: 'Be brief.' }, input)).toEqual([
    brief,
    cached,
    { role: 'system', content: 'Answer in French.' },
  ]);
});

it.each([[{ role: 'user', content: 'x' }], [[brief, 'x']], [5]])('refuses %j', async (instructions) => {
  const message = "The instructions of agent \"a\" must be a text, or messages { role: 'system', content: '…' }";

  expect(() => new Agent({ id: 'a', model: scriptedModel('Hi'), instructions: instructions as never })).toThrow(
    new ConfigurationError(message),
  );
  await expect(systemOf({ instructions: () => instructions as never })).rejects.toThrow(message);
});

it('accepts the instructions of the AI SDK', () => {
  expectTypeOf<SdkInstructions>().toExtend<Instructions>();
});
