import { Type } from '@sinclair/typebox';
import { isStepCount } from 'ai';
import { describe, expect, it } from 'vitest';
import { createMemory } from '../../memory/memory.ts';
import { agentWithMemory } from '../../memory/testing/agent-with-memory.ts';
import type { InputUIMessage } from '../../model/messages/message.ts';
import { fixedClock, scriptedModel, sequentialIds, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { Agent } from '../agent.ts';

const services = { logger: silentLogger };
const look = createTool({ name: 'look', description: 'Looks', input: Type.Object({}), execute: () => 'seen' });
const looks = { toolCalls: [{ toolName: 'look', input: {} }] };

describe('the number of steps', () => {
  it.each([0, 51, 1.5, NaN, '3'])('is not %s', async (maxSteps) => {
    const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
    await expect(agent.generateText('Go', { services, maxSteps: maxSteps as number })).rejects.toMatchObject({
      kind: 'invalid-input',
      message: 'body/options/maxSteps must be an integer from 1 to 50',
    });
  });

  it('is one at least', async () => {
    const model = scriptedModel(looks);
    await new Agent({ id: 'a', model, tools: [look] }).generateText('Go', { services, maxSteps: 1 });
    expect(model.calls).toHaveLength(1);
  });
});

describe('a log line of a run', () => {
  async function fieldsOf(ids: { readonly conversationId?: string; readonly userId?: string }): Promise<unknown> {
    const lines: object[] = [];
    const logger = { ...silentLogger, info: (fields: object) => void lines.push(fields) };
    const logs = createTool({
      name: 'look',
      description: 'Looks',
      input: Type.Object({}),
      execute: (_, context) => context.logger.info({ seen: 1 }, 'looked'),
    });
    const agent = new Agent({ id: 'a', model: scriptedModel(looks, 'Done.'), tools: [logs] });
    await agent.generateText('Go', { ...ids, services: { logger, ids: sequentialIds() } });
    return lines[0];
  }

  it('names its agent, run, conversation and user', async () => {
    const ids = { conversationId: 'c1', userId: 'ada' };
    const fields = { seen: 1, agentId: 'a', runId: 'id-1' };
    expect(await fieldsOf(ids)).toEqual({ ...fields, ...ids });
    expect(Object.keys((await fieldsOf({})) as object).toSorted()).toEqual(Object.keys(fields).toSorted());
  });
});

it('takes the id of its message from the request, else from the run', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
  const ids = { next: () => 'run-1' };
  expect((await agent.streamText('Go', { services: { ...services, ids } })).messageId).toBe('run-1');
  expect((await agent.streamText('Go', { services, messageId: 'm1' })).messageId).toBe('m1');
});

it('uses the loop control of the request, else that of the agent', async () => {
  const steps = async (own: object, asked: object): Promise<number> => {
    const model = scriptedModel(looks, looks, looks, 'Done.');
    await new Agent({ id: 'a', model, tools: [look], ...own }).generateText('Go', { services, ...asked });
    return model.calls.length;
  };
  expect(await steps({ stopWhen: isStepCount(1) }, {})).toBe(1);
  expect(await steps({ stopWhen: isStepCount(1) }, { stopWhen: isStepCount(2) })).toBe(2);
  const prepared: string[] = [];
  const prepareStep = (who: string) => () => void prepared.push(who);
  await steps({ prepareStep: prepareStep('agent'), maxSteps: 1 }, {});
  await steps({ prepareStep: prepareStep('agent'), maxSteps: 1 }, { prepareStep: prepareStep('request') });
  expect(prepared).toEqual(['agent', 'request']);
  const repaired: string[] = [];
  const repairToolCall = (who: string) => async () => {
    repaired.push(who);
    return null;
  };
  const tools: never[] = [];
  await steps({ repairToolCall: repairToolCall('agent'), maxSteps: 1, tools }, {});
  await steps(
    { repairToolCall: repairToolCall('agent'), maxSteps: 1, tools },
    { repairToolCall: repairToolCall('own') },
  );
  expect(repaired).toEqual(['agent', 'own']);
});

it('reads a file in a `data:` URL, in upper or lower case, without a download', async () => {
  const fetched: string[] = [];
  const downloadFile = async (url: string) => {
    fetched.push(url);
    return { data: new Uint8Array([1]), mediaType: 'image/png' };
  };
  const model = scriptedModel('A cat.');
  const ask = async (url: string): Promise<unknown> => {
    const input: InputUIMessage[] = [{ role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url }] }];
    await new Agent({ id: 'a', model }).generateText(input, { services: { ...services, downloadFile } });
    return model.calls.at(-1)?.prompt[0]?.content;
  };

  for (const url of ['data:image/png;base64,AQID', 'DATA:image/png;base64,AQID'])
    expect(await ask(url)).toMatchObject([{ type: 'file', data: { data: 'AQID' } }]);
  expect(fetched).toEqual([]);
  await ask('https://files.example.com/?data:image/png;base64,AQID');
  expect(fetched).toHaveLength(1);
});

it('replaces a tool of the memory by that of the agent with the same name', async () => {
  const own = createTool({
    name: 'getWorkingMemory',
    description: 'Own',
    input: Type.Object({}),
    execute: () => 'own',
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'getWorkingMemory', input: {} }] }, 'Done.');
  const agent = new Agent({ id: 'a', model, tools: [own], memory: createMemory({ workingMemory: {} }) });

  const { toolResults } = await agent.generateText('Go', { services, userId: 'ada', conversationId: 'c1' });

  expect(toolResults).toMatchObject([{ output: 'own' }]);
  expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['getWorkingMemory', 'updateWorkingMemory']);
});

it('runs a tool of the memory', async () => {
  const model = scriptedModel({ toolCalls: [{ toolName: 'getWorkingMemory', input: {} }] }, 'Done.');
  const agent = new Agent({ id: 'a', model, memory: createMemory({ workingMemory: {} }) });

  const { toolResults } = await agent.generateText('Go', { services, userId: 'ada', conversationId: 'c1' });

  expect(toolResults).toMatchObject([{ output: { content: null } }]);
});

it('uses services of the call, and its own for all others', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
  const first = await agent.streamText('Go', { services: { ids: { next: () => 'given' } } });
  expect(first.messageId).toBe('given');
  const other = await agent.streamText('Go', { services: { clock: fixedClock() } });
  expect(other.messageId).not.toBe('given');
  const all = { ...agent.services, ids: { next: () => 'all' }, recorder: undefined as never };
  expect((await agent.streamText('Go', { services: all })).messageId).toBe('all');
});

it('prefers user and conversation of the nested options, each by itself', async () => {
  const { agent, memory, options } = agentWithMemory(['Hi']);
  await agent.generateText('Go', { ...options, conversationId: 'flat', memory: { userId: 'bob' } });
  await agent.generateText('Go', { ...options, userId: 'ada', memory: { conversationId: 'nested' } });
  expect((await memory.get('anyone', 'flat')).userId).toBe('bob');
  expect((await memory.get('anyone', 'nested')).userId).toBe('ada');
});

it('keeps the reason of the model where it stopped early with calls', async () => {
  const reasonOf = async (finishReason: 'length' | 'other'): Promise<string | undefined> => {
    const agent = new Agent({ id: 'a', model: scriptedModel({ ...looks, finishReason }, 'Done.'), tools: [look] });
    return (await agent.generateText('Go', { services })).steps[0]?.finishReason;
  };
  expect([await reasonOf('length'), await reasonOf('other')]).toEqual(['length', 'tool-calls']);
});
