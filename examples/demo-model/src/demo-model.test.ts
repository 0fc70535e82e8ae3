import { Agent, createMemory, createTool } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { demoModel } from './demo-model.ts';

const model = demoModel({ delayMs: 0 });
const getTime = createTool({
  name: 'getTime',
  description: 'The time in a city',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }) => ({ city, timeZone: 'Asia/Tokyo', clocks: [{ hour: 9 }, { hour: 21 }] }),
});

it('calls a tool that a rule names, and repeats its result', async () => {
  const agent = new Agent({ id: 'clock', model, tools: [getTime] });
  const { text } = await agent.generateText('What time is it in Tokyo?');
  expect(text).toBe('getTime says: city Tokyo, time zone Asia/Tokyo, clocks hour 9; hour 21.');
});

it('introduces itself if no rule matches, or the agent does not have the tool', async () => {
  const { text } = await new Agent({ id: 'clock', model, tools: [getTime] }).generateText('Hello');
  expect(text).toBe('I am the demo model, not an AI. I can call getTime. You wrote: Hello');
  const other = await new Agent({ id: 'mute', model }).generateText('What time is it in Tokyo?');
  expect(other.text).toBe('I am the demo model, not an AI. You wrote: What time is it in Tokyo?');
});

it('says that a tool failed', async () => {
  const broken = createTool({
    name: 'getTime',
    description: 'Fails',
    input: Type.Object({ city: Type.String() }),
    execute: () => {
      throw new RangeError('The clock has stopped');
    },
  });
  const { text } = await new Agent({ id: 'clock', model, tools: [broken] }).generateText('The time in Rome');
  expect(text).toMatch(/^getTime did not work: .*The clock has stopped/u);
});

it('repeats the message before, and names conversations', async () => {
  const memory = createMemory({ titles: true });
  const agent = new Agent({ id: 'echo', model, memory });
  const options = { memory: { userId: 'ada', conversationId: 'boats' } };
  await agent.generateText('My boat is called Wanderer', options);
  expect((await agent.generateText('What did I say?', options)).text).toBe('You said: “My boat is called Wanderer”.');
  await expect.poll(async () => (await memory.get({ user: 'ada' }, 'boats')).title).toBe('My boat is called Wanderer');
  await memory.close();
});

it('generates objects that match a schema, with values of the message', async () => {
  const schema = Type.Object({
    summary: Type.String({ maxLength: 8 }),
    priority: Type.Unsafe<string>({ type: 'string', enum: ['low', 'high'] }),
    days: Type.Integer({ minimum: 1, maximum: 14 }),
    tags: Type.Array(Type.String(), { minItems: 2 }),
  });
  const { object } = await new Agent({ id: 'sorter', model }).generateObject('A high mast, in 20 days', { schema });
  expect(object).toMatchObject({ summary: 'A high m', priority: 'high', days: 14 });
});
