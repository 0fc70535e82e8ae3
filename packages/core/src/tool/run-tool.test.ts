import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { collectEvents, scriptedModel, type ScriptedReply, silentLogger } from '../testing/index.ts';
import { createTool } from './create-tool.ts';
import { acceptToolInput, runTool } from './run-tool.ts';
import type { Tool } from './tool.ts';

const services = { logger: silentLogger };
const context = { toolCallId: 'c', idempotencyKey: 'k', context: {}, logger: silentLogger };

const returning = (output: unknown) =>
  createTool({ name: 'give', description: 'Gives', input: Type.Object({}), execute: () => output });
const throwing = (error: unknown) =>
  createTool({
    name: 'give',
    description: 'Throws',
    input: Type.Object({}),
    execute: () => {
      throw error;
    },
  });

/** One call of the tool by a model: the events of the client and the result of the model. */
async function callBy(tool: Tool | undefined, input: unknown = {}, toolName = tool?.name ?? 'give') {
  const model = scriptedModel({ toolCalls: [{ toolName, input }] } satisfies ScriptedReply, 'Done.');
  const agent = new Agent({ id: 'a', model, tools: tool === undefined ? [] : [tool] });
  const events = await collectEvents(await agent.streamText('Go', { services }));
  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  const received = model.calls[1]?.prompt.at(-1);
  const [result] = received?.role === 'tool' ? received.content : [];
  return {
    event: events.find(({ type }) => type === 'tool-result' || type === 'tool-error'),
    received: result?.type === 'tool-result' ? result.output : undefined,
  };
}

it.each([
  ['a text', 'Mild', { type: 'text', value: 'Mild' }],
  ['an object', { a: [1, null] }, { type: 'json', value: { a: [1, null] } }],
  ['nothing', undefined, { type: 'json', value: null }],
  ['a Date', { at: new Date(0) }, { type: 'json', value: { at: '1970-01-01T00:00:00.000Z' } }],
])('sends the same JSON of %s to client and model', async (_what, output, received) => {
  expect(await callBy(returning(output))).toMatchObject({
    event: { type: 'tool-result', output: received.value },
    received,
  });
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;

it.each([
  ['a BigInt', 10n, 'Tool "give" returned a BigInt, which is not JSON'],
  ['a BigInt inside', { total: 10n }, 'Tool "give" returned a BigInt in "total", which is not JSON'],
  ['a Map', new Map([['a', 1]]), 'Tool "give" returned a Map, which is not JSON'],
  ['a function', { then_: () => {} }, 'Tool "give" returned a function in "then_", which is not JSON'],
  ['a cycle', cycle, 'Tool "give" returned a cycle, or something nested too deep in "self", which is not JSON'],
])('reports that a tool returned %s', async (_what, output, error) => {
  expect(await callBy(returning(output))).toMatchObject({
    event: { type: 'tool-error', error },
    received: { type: 'error-text', value: error },
  });
});

it('sends the message of a tool’s error to the model, and not the stack', async () => {
  const { event, received } = await callBy(throwing(new Error('No such city')));

  expect(event).toEqual({
    type: 'tool-error',
    toolCallId: 'call-1',
    toolName: 'give',
    input: {},
    error: 'No such city',
  });
  expect(received).toEqual({ type: 'error-text', value: 'No such city' });
});

it('accepts any value that a tool throws', async () => {
  expect(await callBy(throwing('a text'))).toMatchObject({ received: { value: 'a text' } });
  expect(await callBy(throwing(undefined))).toMatchObject({ received: { value: 'Tool "give" failed' } });
});

it('refuses an output that does not fit the schema of the tool', async () => {
  const output = Type.Object({ celsius: Type.Number() });
  const tool = createTool({
    name: 'give',
    description: 'Gives',
    input: Type.Object({}),
    output,
    // @ts-expect-error a text is no number
    execute: () => ({ celsius: 'warm' }),
  });

  expect(await callBy(tool)).toMatchObject({
    event: { type: 'tool-error' },
    received: { type: 'error-text', value: 'Tool "give" failed' },
  });
  await expect(runTool(tool, {}, { ...context, signal: new AbortController().signal }, 1000)).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    cause: { message: 'output/celsius must be number' },
  });
});

it('returns arguments that are not JSON or do not fit to the model, as it wrote them', async () => {
  const tool = createTool({
    name: 'give',
    description: 'Gives',
    input: Type.Object({ city: Type.String() }),
    execute: () => 'ran',
  });

  expect(await callBy(tool, '{"city": "Par')).toMatchObject({
    event: {
      type: 'tool-error',
      input: '{"city": "Par',
      invalidInput: true,
      error:
        'Invalid arguments for tool "give": input must be a JSON object, but is not valid JSON. If the limit of output tokens has cut it, send less at once',
    },
  });
  expect(await callBy(tool, { city: 5 })).toMatchObject({
    event: {
      type: 'tool-error',
      input: { city: 5 },
      invalidInput: true,
      error: 'Invalid arguments for tool "give": input/city must be string',
    },
    received: { type: 'error-text' },
  });
  expect(await callBy(tool, [])).toMatchObject({ event: { invalidInput: true } });
});

it('treats missing arguments as an empty object', async () => {
  expect(await callBy(returning('ok'), '')).toMatchObject({ event: { type: 'tool-result', input: {}, output: 'ok' } });
});

it('lists the available tools when the model calls an unknown one', async () => {
  expect(await callBy(returning('ok'), {}, 'fly')).toMatchObject({
    received: { value: 'There is no tool "fly"; available: give' },
  });
  expect(await callBy(undefined)).toMatchObject({ received: { value: 'There is no tool "give"; available: none' } });
});

it('passes validated arguments to a tool, and emits them as the model wrote them', async () => {
  const seen: unknown[] = [];
  const tool = createTool({
    name: 'give',
    description: 'Gives',
    input: Type.Object({ days: Type.Number({ default: 3 }) }),
    execute: (input) => {
      seen.push(input);
    },
  });

  expect(await callBy(tool)).toMatchObject({ event: { input: {} } });
  expect(seen).toEqual([{ days: 3 }]);
});

it('passes the run to a tool', async () => {
  const seen: unknown[] = [];
  const tool = createTool({
    name: 'give',
    description: 'Gives',
    input: Type.Object({}),
    execute: (_input, { toolCallId, toolName, user, userId, conversationId, idempotencyKey, context: own, signal }) => {
      seen.push({ toolCallId, toolName, user, userId, conversationId, own, aborted: signal.aborted, idempotencyKey });
    },
  });
  const ids = { next: () => 'run-1' };
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ toolCalls: [{ toolName: 'give', input: {} }] }, 'Done.'),
    tools: [tool],
  });

  await agent.generateText('Go', {
    user: { id: 'ada' },
    userId: 'ada',
    conversationId: 'c1',
    context: { a: 1 },
    services: { ids },
  });

  expect(seen).toEqual([
    {
      toolCallId: 'call-1',
      toolName: 'give',
      user: { id: 'ada' },
      userId: 'ada',
      conversationId: 'c1',
      own: { a: 1 },
      aborted: false,
      idempotencyKey: 'run-1/step-0/call-1',
    },
  ]);
});

it('ends the run with the call of a client-side tool, and continues with its result', async () => {
  const tool = createTool({ name: 'pick', description: 'Asks the person', input: Type.Object({}) });
  const model = scriptedModel({ toolCalls: [{ toolName: 'pick', input: {} }] }, 'Blue, then.');
  const agent = new Agent({ id: 'a', model, tools: [tool] });

  const events = await collectEvents(await agent.streamText('Pick'));

  expect(events.slice(-3)).toEqual([
    { type: 'tool-call', toolCallId: 'call-1', toolName: 'pick', input: {} },
    expect.objectContaining({ type: 'finish-step', finishReason: 'tool-calls' }),
    expect.objectContaining({ type: 'finish', finishReason: 'tool-calls' }),
  ]);
  const { text } = await agent.generateText([
    { role: 'user', parts: [{ type: 'text', text: 'Pick' }] },
    {
      role: 'assistant',
      parts: [{ type: 'tool-pick', toolCallId: 'call-1', state: 'output-available', input: {}, output: 'blue' }],
    },
  ]);
  expect(text).toBe('Blue, then.');
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ toolCallId: 'call-1', output: { type: 'text', value: 'blue' } }],
  });
});

it('emits calls that the provider ran itself, and does not run them', async () => {
  const model = scriptedModel({
    parts: [
      { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: '{"query":"x"}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: { hits: 1 } },
      { type: 'tool-call', toolCallId: 'f', toolName: 'web_fetch', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'f', toolName: 'web_fetch', result: 'blocked', isError: true },
    ],
    text: 'Found.',
  });

  const events = await collectEvents(await new Agent({ id: 'a', model }).streamText('Search'));

  const search = {
    toolCallId: 's',
    toolName: 'web_search',
    input: { query: 'x' },
    providerExecuted: true,
    dynamic: true,
  };
  expect(events).toContainEqual({ type: 'tool-call', ...search });
  expect(events).toContainEqual({ type: 'tool-result', ...search, output: { hits: 1 } });
  expect(events).toContainEqual({
    type: 'tool-error',
    toolCallId: 'f',
    toolName: 'web_fetch',
    input: {},
    providerExecuted: true,
    dynamic: true,
    error: 'blocked',
  });
  expect(model.calls).toHaveLength(1);
});

it('runs a tool directly: validates its input, limits its time, and aborts with the signal', async () => {
  const tool = createTool({
    name: 'wait',
    description: 'Waits',
    input: Type.Object({ city: Type.String() }),
    execute: () => new Promise(() => {}),
  });
  const controller = new AbortController();

  await expect(acceptToolInput(tool, {}, 'body/input')).rejects.toMatchObject({
    kind: 'invalid-input',
    message: expect.stringContaining('body/input'),
  });
  expect(await acceptToolInput(tool, { city: 'Paris' }, 'body/input')).toEqual({ city: 'Paris' });
  await expect(runTool(tool, {}, { ...context, signal: controller.signal }, 1)).rejects.toMatchObject({
    code: 'TIME_LIMIT_EXCEEDED',
  });
  const running = runTool(tool, {}, { ...context, signal: controller.signal }, 10_000);
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  await expect(runTool(tool, {}, { ...context, signal: controller.signal }, 10_000)).rejects.toMatchObject({
    code: 'ABORTED',
  });
});

it('runs many tools at once without a warning about listeners', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const model = scriptedModel(
    { toolCalls: Array.from({ length: 40 }, (_, index) => ({ toolName: 'give', input: {}, toolCallId: `c${index}` })) },
    'Done.',
  );

  await new Agent({ id: 'a', model, tools: [returning('ok')] }).generateText('Go');
  await new Promise(setImmediate);
  process.off('warning', onWarning);

  expect(warnings).toEqual([]);
});

it('survives a tool that aborts its own run and throws', async () => {
  const controller = new AbortController();
  const tool = createTool({
    name: 'stop',
    description: 'Stops',
    input: Type.Object({}),
    execute: () => {
      controller.abort();
      throw new Error('stopped');
    },
  });

  await expect(runTool(tool, {}, { ...context, signal: controller.signal }, 1000)).rejects.toThrow('stopped');
});
