import { type Message, silentLogger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { RunOptions } from '../../agent/agent-options.ts';
import { Agent } from '../../agent/agent.ts';
import { type ScriptedModel, scriptedModel, type ScriptedReply } from '../../testing/scripted-model.ts';
import type { MemoryOptions } from '../memory-options.ts';
import { createMemory, type Memory } from '../memory.ts';

const options: RunOptions = { userId: 'ada', conversationId: 'c1', services: { logger: silentLogger } };

interface Setting {
  readonly agent: Agent;
  readonly memory: Memory;
  readonly model: ScriptedModel;
  readonly systemText: () => string;
  /** The last prompt without its system message, in lines. */
  readonly messageTexts: () => readonly string[];
  readonly notes: () => Promise<unknown>;
}

function setUp(memoryOptions: MemoryOptions, ...turns: readonly [ScriptedReply, ...ScriptedReply[]]): Setting {
  const memory = createMemory({ storage: createInMemoryStorage(), logger: silentLogger, ...memoryOptions });
  const model = scriptedModel(...turns);
  const agent = new Agent({ id: 'helper', instructions: 'Be brief.', model, memory });
  return {
    agent,
    memory,
    model,
    systemText: () => {
      const first = model.calls.at(-1)?.prompt[0];
      return first?.role === 'system' ? first.content : '';
    },
    messageTexts: () => (model.calls.at(-1)?.prompt ?? []).slice(1).map(({ content }) => textOf(content)),
    notes: async () => (await memory.readWorkingMemory('anyone', { conversationId: 'c1' })).content,
  };
}

function textOf(content: string | readonly object[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('');
}

function writes(input: unknown): ScriptedReply {
  return { toolCalls: [{ toolName: 'updateWorkingMemory', input }] };
}

it.each(['step', 'finish'] as const)(
  'lets an agent write working memory from its first answer on, in mode %s',
  async (mode) => {
    const { agent, messageTexts, notes, systemText, model } = setUp(
      { workingMemory: { template: '- Name:' }, persistence: { mode } },
      writes({ content: '- Name: Ada', mode: 'replace' }),
      'Hello Ada.',
      'Your name is Ada.',
    );

    const { toolResults } = await agent.generateText('I am Ada', options);
    expect(toolResults).toMatchObject([{ output: { updated: true } }]);
    expect(await notes()).toBe('- Name: Ada');
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['getWorkingMemory', 'updateWorkingMemory']);

    await agent.generateText('Who am I?', options);
    expect(systemText()).toMatch(/^Be brief\.\n\n# Working memory\n/);
    expect(messageTexts().at(-2)).toContain('<working_memory>\n- Name: Ada\n</working_memory>');
    expect(messageTexts().at(-1)).toBe('Who am I?');
  },
);

it('reports the invalid field to the model, and merges the corrected one', async () => {
  const schema = Type.Object({ name: Type.String(), likes: Type.Optional(Type.Array(Type.String())) });
  const { agent, notes, model } = setUp(
    { workingMemory: { schema } },
    writes({ likes: ['tea'] }),
    writes({ name: 'Ada', likes: ['tea'] }),
    writes({ likes: { add: ['maths'], remove: [] } }),
    'Noted.',
  );

  await agent.generateText('I am Ada, I like tea and maths', options);

  expect(await notes()).toEqual({ name: 'Ada', likes: ['tea', 'maths'] });
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ output: { type: 'error-text', value: expect.stringContaining("'name'") } }],
  });
});

it('shares the working memory of a user among all conversations, and with no other user', async () => {
  const { agent, messageTexts } = setUp(
    { workingMemory: { scope: 'user' } },
    writes({ content: 'Likes tea.', mode: 'append' }),
    'Noted.',
  );
  await agent.generateText('I like tea', options);

  await agent.generateText('Hello', { ...options, conversationId: 'c2' });
  expect(messageTexts()).toEqual([expect.stringContaining('Likes tea.'), 'Hello']);
  await agent.generateText('Hello', { ...options, conversationId: 'c3', userId: 'bob' });
  expect(messageTexts()).toEqual(['Hello']);
});

it('adds no working memory and no tools without a conversation', async () => {
  const { agent, model, systemText } = setUp({ workingMemory: {} }, 'Hello.');
  await agent.generateText('Hello', { userId: 'ada', services: { logger: silentLogger } });

  expect(systemText()).toBe('Be brief.');
  expect(model.calls[0]?.tools ?? []).toEqual([]);
});

it('adds no tool that writes to a read-only run', async () => {
  const { agent, model, notes } = setUp({ workingMemory: {} }, 'Hello.');
  await agent.generateText('Hello', options);
  await agent.generateText('Hello', { ...options, memory: { options: { readOnly: true } } });

  expect(model.calls[1]?.tools?.map(({ name }) => name)).toEqual(['getWorkingMemory']);
  expect(await notes()).toBeNull();
});

it('gives a title once to the conversation that a run has created', async () => {
  const titles = scriptedModel('Greetings');
  const { agent, memory } = setUp({ titles: { model: titles } }, 'Hello Ada.');
  await agent.generateText('I am Ada', options);
  await memory.flush();
  await agent.generateText('Hello again', options);
  await memory.flush();

  expect(await memory.get('anyone', 'c1')).toMatchObject({ title: 'Greetings', resourceId: 'helper' });
  expect(titles.calls).toHaveLength(1);
});

it.each<[string, Message[]]>([
  ['without a message', []],
  ['with a greeting', [{ id: 'm0', role: 'assistant', parts: [{ type: 'text', text: 'How can I help?' }] }]],
])('gives a title once to a conversation that the app has created in advance, %s', async (_, messages) => {
  const titles = scriptedModel('Greetings', 'Another');
  const { agent, memory } = setUp({ titles: { model: titles } }, 'Hello Ada.', 'Hello again.');
  await memory.create({ id: 'c1', userId: 'ada', resourceId: 'helper', title: '', metadata: {} });
  await memory.save('anyone', 'c1', messages);
  await agent.generateText('I am Ada', options);
  await memory.flush();
  expect((await memory.get('anyone', 'c1')).title).toBe('Greetings');

  await memory.update('anyone', 'c1', { title: '' });
  await agent.generateText('Hello again', options);
  await memory.flush();
  expect((await memory.get('anyone', 'c1')).title).toBe('');
  expect(titles.calls).toHaveLength(1);
});

it('keeps the title that the app has given to a conversation', async () => {
  const { agent, memory, model } = setUp({ titles: true }, 'Hello Ada.');
  await memory.create({ id: 'c1', userId: 'ada', resourceId: 'helper', title: 'Mine', metadata: {} });
  await agent.generateText('I am Ada', options);
  await memory.flush();

  expect((await memory.get('anyone', 'c1')).title).toBe('Mine');
  expect(model.calls).toHaveLength(1);
});
