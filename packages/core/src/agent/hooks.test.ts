import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { providerError } from '../model/testing/provider-error.ts';
import { scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { Agent } from './agent.ts';
import type { AgentHooks } from './hooks.ts';

const tool = createTool({ name: 'search', description: 'Searches', input: Type.Object({}), execute: () => 'seen' });
const broken = createTool({
  name: 'fail',
  description: 'Fails',
  input: Type.Object({}),
  execute: () => {
    throw new Error('no');
  },
});
const call = (toolName: string, text?: string) => ({
  ...(text !== undefined && { text }),
  toolCalls: [{ toolName, input: {} }],
});

it('calls the hooks of a run in order', async () => {
  const received: unknown[] = [];
  const hooks: AgentHooks = {
    onStart: ({ agentId, runId, userId, conversationId, context }) =>
      void received.push(['start', agentId, runId, userId, conversationId, context]),
    onStepEnd: (_run, { step, text, toolCalls, finishReason }) =>
      void received.push(['step', step, text, toolCalls.map(({ toolName }) => toolName), finishReason]),
    onToolStart: (_run, { toolName }) => void received.push(['tool start', toolName]),
    onToolEnd: (_run, { toolName, output, error, durationMs }) =>
      void received.push(['tool end', toolName, output ?? error, durationMs >= 0]),
    onEnd: (_run, { text, fullText, finishReason, usage }) =>
      void received.push(['end', text, fullText, finishReason, usage.totalTokens]),
    onError: () => void received.push(['error']),
  };
  const agent = new Agent({
    id: 'a',
    model: scriptedModel(call('search', 'First.'), call('fail'), 'Second.'),
    tools: [tool, broken],
    hooks,
  });
  const services = { logger: silentLogger, ids: { next: () => 'run-1' } };

  await agent.generateText('Go', { userId: 'ada', conversationId: 'c', context: { a: 1 }, services });

  expect(received).toEqual([
    ['start', 'a', 'run-1', 'ada', 'c', { a: 1 }],
    ['tool start', 'search'],
    ['tool end', 'search', 'seen', true],
    ['step', 0, 'First.', ['search'], 'tool-calls'],
    ['tool start', 'fail'],
    ['tool end', 'fail', 'no', true],
    ['step', 1, '', ['fail'], 'tool-calls'],
    ['step', 2, 'Second.', [], 'stop'],
    ['end', 'Second.', 'First.\n\nSecond.', 'stop', 45],
  ]);
});

it('calls onError and not onEnd when a run fails or is aborted', async () => {
  const received: unknown[] = [];
  const hooks: AgentHooks = {
    onError: (_run, error) => void received.push(error),
    onEnd: () => void received.push('end'),
  };
  const agent = (hangs: boolean) =>
    new Agent({ id: 'a', model: scriptedModel(hangs ? { hangs } : { error: new Error('no') }), hooks });

  await agent(false)
    .generateText('Go', { services: { logger: silentLogger } })
    .catch(() => {});
  const stream = await agent(true).streamText('Go');
  await stream[Symbol.asyncIterator]().return?.();
  await stream.result.catch(() => {});

  expect(received).toMatchObject([{ code: 'MODEL_FAILED' }, { code: 'ABORTED' }]);
});

it('continues when hooks throw, and logs their errors', async () => {
  const warned: unknown[] = [];
  const logger = {
    ...silentLogger,
    warn: (fields: object) => void warned.push('hook' in fields ? fields.hook : 'other'),
  };
  const fail = async (): Promise<never> => {
    throw new Error('hook');
  };
  const failAtOnce = (): never => {
    throw new Error('hook');
  };
  const hooks: AgentHooks = {
    onStart: failAtOnce,
    onStepEnd: fail,
    onToolStart: fail,
    onToolEnd: failAtOnce,
    onEnd: fail,
  };
  const agent = new Agent({
    id: 'a',
    model: scriptedModel({ toolCalls: [{ toolName: 'search', input: {} }] }, 'Done.'),
    tools: [tool],
    hooks,
  });

  expect((await agent.generateText('Go', { services: { logger } })).text).toBe('Done.');
  expect(warned).toEqual(['onStart', 'onToolStart', 'onToolEnd', 'onStepEnd', 'onStepEnd', 'onEnd']);
});

it('logs the provider report of a hook that calls a model, without the request', async () => {
  const warned: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
  const onEnd = (): never => {
    throw providerError('Invalid key', 401, { authorization: 'secret' });
  };

  await new Agent({ id: 'a', model: scriptedModel('Hi'), hooks: { onEnd } }).generateText('Go', {
    services: { logger },
  });

  expect(warned).toEqual([
    expect.objectContaining({ reason: 'the provider answered 401: Invalid key', hook: 'onEnd' }),
  ]);
  expect(warned[0]).not.toHaveProperty('err');
});

it('ignores the return values of hooks', async () => {
  const received: unknown[] = [];
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };

  await new Agent({
    id: 'a',
    model: scriptedModel('Hi'),
    hooks: { onStart: (run) => received.push(run) as never },
  }).generateText('Go', { services: { logger } });

  expect(received).toHaveLength(1);
  expect(warned).toEqual([]);
});

it('awaits hooks', async () => {
  const received: string[] = [];
  const onStart = async (): Promise<void> => {
    await new Promise(setImmediate);
    received.push('start');
  };
  const model = scriptedModel(() => {
    received.push('model');
    return 'Hi';
  });

  await new Agent({ id: 'a', model, hooks: { onStart } }).generateText('Go');

  expect(received).toEqual(['start', 'model']);
});
