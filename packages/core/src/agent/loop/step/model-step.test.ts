import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { ModelMessage } from '../../../model/messages/message.ts';
import { collectEvents, scriptedModel, silentLogger } from '../../../testing/index.ts';
import { createTool } from '../../../tool/create-tool.ts';
import { Agent } from '../../agent.ts';
import type { PrepareStep } from '../../loop-control.ts';

const services = { logger: silentLogger };
const look = createTool({
  name: 'look',
  description: 'Looks',
  input: Type.Object({}),
  execute: () => 'seen',
});
const calling = { toolCalls: [{ toolName: 'look', input: {}, toolCallId: 'c1' }] };

function open(prepareStep?: PrepareStep) {
  const model = scriptedModel(calling, 'Done.');
  const agent = new Agent({
    id: 'a',
    model,
    instructions: 'Be brief.',
    tools: [look],
    ...(prepareStep && { prepareStep }),
  });
  return { agent, calls: model.calls };
}

const contentOf = (prompt: readonly ModelMessage[]) =>
  prompt.map(({ content, role }) => [role, role === 'system' ? content : undefined]);

it('asks the model with the instructions, the tools and the messages so far', async () => {
  const { agent, calls } = open();
  await agent.generateText('Go', { services });

  expect(
    calls.map(({ includeRawChunks, responseFormat, toolChoice, tools }) => ({
      includeRawChunks,
      responseFormat,
      toolChoice,
      tools: tools?.map(({ name }) => name),
    })),
  ).toEqual(
    Array.from({ length: 2 }, () => ({
      includeRawChunks: undefined,
      responseFormat: undefined,
      toolChoice: { type: 'auto' },
      tools: ['look'],
    })),
  );
  expect(calls.map(({ prompt }) => contentOf(prompt as ModelMessage[]))).toEqual([
    [
      ['system', 'Be brief.'],
      ['user', undefined],
    ],
    [
      ['system', 'Be brief.'],
      ['user', undefined],
      ['assistant', undefined],
      ['tool', undefined],
    ],
  ]);
});

it('asks a model without tools for none', async () => {
  const model = scriptedModel('Hi');
  await new Agent({ id: 'a', model, rawChunks: true }).generateText('Go', { services });
  expect(model.calls[0]).not.toHaveProperty('tools');
  expect(model.calls[0]).not.toHaveProperty('toolChoice');
  expect(model.calls[0]).not.toHaveProperty('responseFormat');
  expect(model.calls[0]).toMatchObject({ includeRawChunks: true });
});

it('keeps the messages where only the instructions change', async () => {
  const { agent, calls } = open(({ stepNumber }) => (stepNumber === 1 ? { instructions: 'Finish.' } : undefined));
  await agent.generateText('Go', { services });

  expect(contentOf(calls[1]?.prompt as ModelMessage[])).toEqual([
    ['system', 'Finish.'],
    ['user', undefined],
    ['assistant', undefined],
    ['tool', undefined],
  ]);
});

it('keeps the instructions where only the messages change', async () => {
  const messages: ModelMessage[] = [{ role: 'user', content: 'Stop' }];
  const { agent, calls } = open(({ stepNumber }) => (stepNumber === 1 ? { messages } : {}));
  await agent.generateText('Go', { services });

  expect(calls[1]?.prompt).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Stop' }] },
  ]);
});

it('fails when the stream of the model ends before it is finished', async () => {
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ text: 'Hal', breaksOff: true }),
    retries: { maxRetries: 0 },
  });
  const stream = await agent.streamText('Go', { services });
  const events = await collectEvents(stream);

  expect(events.at(-1)).toMatchObject({ type: 'error' });
  expect(events.filter(({ type }) => type === 'error')).toHaveLength(1);
  await expect(stream.result).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    cause: expect.stringContaining('ended before it was finished'),
  });
});

it('asks the model that has answered first in later steps', async () => {
  const failing = scriptedModel({ error: new Error('overloaded') });
  const answering = scriptedModel(calling, 'Done.');
  const agent = new Agent({ id: 'a', model: [failing, answering], tools: [look], retries: { maxRetries: 0 } });

  expect((await agent.generateText('Go', { services })).text).toBe('Done.');
  expect([failing.calls.length, answering.calls.length]).toEqual([1, 2]);
});
