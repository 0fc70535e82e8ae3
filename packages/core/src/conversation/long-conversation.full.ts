import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { estimateTokens } from '../agent/processors/estimate-tokens.ts';
import { createMemory } from '../memory/memory.ts';
import type { ModelCallOptions } from '../model/providers/model-port.ts';
import { fixedClock, scriptedModel, type ScriptedReply, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const contextOfModel = 8000;
const turns = 2000;

const lengthOf = ({ prompt }: ModelCallOptions): number =>
  prompt.reduce((sum, message) => sum + estimateTokens(message), 0);

/** Knows only its prompt: the name, from the first question or from a summary. */
function reply(call: ModelCallOptions): ScriptedReply {
  if (lengthOf(call) > contextOfModel) return { error: new TypeError('the prompt is too long') };
  const said = JSON.stringify(call.prompt);
  const [, name = 'unknown'] = /name is (\w+)/.exec(said) ?? [];
  const [first] = call.prompt;
  // Notes as long as a model may write them, and longer.
  if (first?.role === 'system' && first.content.startsWith('You take notes'))
    return `The user's name is ${name}. ${'They talked about the weather. '.repeat(150)}`;
  const last = JSON.stringify(call.prompt.at(-1));
  if (last.includes('Look up')) return { toolCalls: [{ toolName: 'lookUp', input: {} }] };
  return last.includes('What is my name?') ? `You are ${name}.` : `Noted. ${'I see. '.repeat(20)}`;
}

it.each([
  ['with a token window', { contextTokens: 7500 }],
  ['without one', {}],
])(
  'answers 2000 questions in one conversation, on a model with a context of 8000 tokens, and still knows the name of the first, %s',
  async (_, window) => {
    const model = scriptedModel(reply);
    const lookUp = createTool({
      name: 'lookUp',
      description: 'Finds a lot',
      input: { type: 'object' } as const,
      // 4000 tokens.
      execute: () => 'weather '.repeat(2000),
    });
    const storage = createInMemoryStorage({ clock: fixedClock() });
    const agent = new Agent({
      id: 'a',
      model,
      instructions: 'Be kind.',
      tools: [lookUp],
      memory: createMemory({ storage, logger: silentLogger }),
      compaction: { afterTokens: 3000, keep: 4 },
      ...window,
    });
    const options = { userId: 'ada', conversationId: 'c1', services: { logger: silentLogger } };

    await agent.generateText('My name is Ada.', options);
    for (let turn = 2; turn < turns; turn += 1)
      await agent.generateText(turn % 20 === 0 ? 'Look up the weather' : `Question ${turn} about the weather`, options);
    const { text } = await agent.generateText('What is my name?', options);

    expect(text).toBe('You are Ada.');
    const { calls } = model;
    expect(Math.max(...calls.map(lengthOf))).toBeLessThanOrEqual(contextOfModel);
    expect(calls.at(-1)?.prompt.length).toBeLessThan(200);
    const stored = await storage.conversations.messages('anyone', 'c1', {
      limit: 2 * turns,
      roles: ['user', 'assistant'],
    });
    expect(stored?.messages).toHaveLength(2 * turns);
  },
);
