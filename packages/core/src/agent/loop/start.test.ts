import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { agentWithMemory } from '../../memory/testing/agent-with-memory.ts';
import type { ModelMessage } from '../../model/messages/message.ts';
import { collectEvents, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { InternalRunOptions } from '../agent-options.ts';
import type { AgentServices } from '../agent-services.ts';
import { Agent } from '../agent.ts';
import type { StepToPrepare } from '../loop-control.ts';
import type { OutputGuardrail } from '../processors/guardrails.ts';
import { type AgentJournal, noJournal } from './journal.ts';
import { RunSuspended } from './suspensions.ts';

const pay = createTool({
  name: 'pay',
  description: 'Pays',
  input: Type.Object({}),
  needsApproval: true,
  execute: () => 'paid',
});
const pays = (...ids: readonly string[]) => ({
  toolCalls: ids.map((toolCallId) => ({ toolName: 'pay', input: {}, toolCallId })),
});

function loggingErrors() {
  const lines: unknown[] = [];
  return { lines, logger: { ...silentLogger, error: (...line: unknown[]) => void lines.push(line) } };
}

it('does not fail where it is suspended', async () => {
  const { lines, logger } = loggingErrors();
  const hooks: unknown[] = [];
  const suspensions = {
    executionId: 'e1',
    callAddress: (key: string) => `e1/${key}`,
    findResumeData: () => undefined,
    findPending: () => undefined,
    abort: () => {},
  };
  const onError = (_run: unknown, error: unknown): void => void hooks.push(error);
  const agent = new Agent({ id: 'a', model: scriptedModel(pays('c1')), tools: [pay], hooks: { onError } });
  const stream = await agent.streamText('Go', {
    journal: { ...noJournal, suspensions },
    services: { logger },
  } as InternalRunOptions);

  const types = (await collectEvents(stream)).map(({ type }) => type);

  await expect(stream.result).rejects.toThrow(RunSuspended);
  expect(types.filter((type) => ['abort', 'error', 'finish'].includes(type))).toEqual([]);
  expect([lines, hooks]).toEqual([[], []]);
});

it('logs why it failed', async () => {
  const { lines, logger } = loggingErrors();
  const agent = new Agent({ id: 'a', model: scriptedModel({ error: new Error('away') }), retries: { maxRetries: 0 } });
  await expect(agent.generateText('Go', { services: { logger } })).rejects.toThrow();
  expect(lines).toEqual([[expect.objectContaining({ agentId: 'a' }), 'an agent run failed']]);
});

it('logs no error when a guardrail blocks its answer', async () => {
  const { lines, logger } = loggingErrors();
  const refused: unknown[] = [];
  const info = (_fields: object, message: string): void => void refused.push(message);
  const outputGuardrails = [{ name: 'words', check: () => ({ action: 'block' as const, reason: 'no' }) }];
  const agent = new Agent({ id: 'a', model: scriptedModel('Hm.'), outputGuardrails });
  await expect(agent.generateText('Go', { services: { logger: { ...logger, info } } })).rejects.toThrow();
  expect([lines, refused]).toEqual([[], ['an agent run was refused']]);
});

it.each([true, false])('writes nothing more where another process has taken it over: %s', async (isTakenOver) => {
  const half = { text: 'Half', error: new Error('away'), failAfterText: true };
  const { agent, options, texts } = agentWithMemory(
    [half],
    { retries: { maxRetries: 0 } },
    { persistence: { mode: 'finish' } },
  );
  const journal: AgentJournal = { ...noJournal, isStale: () => isTakenOver };

  const stream = await agent.streamText('Go', { ...options, journal } as InternalRunOptions);
  await collectEvents(stream);

  expect(await texts()).toEqual(isTakenOver ? [] : ['user: Go', 'assistant: Half[custom]']);
});

it.each(['approvals', 'clock', 'downloadFile', 'ids', 'logger'] as const)(
  'has its own %s where a call brings only the other services',
  async (name) => {
    const agent = new Agent({ id: 'a', model: scriptedModel('Hi') });
    const { [name]: _, ...others }: Partial<AgentServices> = agent.services;
    expect((await agent.generateText('Go', { services: others })).text).toBe('Hi');
  },
);

describe('the result of a run', () => {
  it('has the results of approved calls, and not of denied ones', async () => {
    const agent = new Agent({ id: 'a', model: scriptedModel(pays('c1', 'c2'), 'Done.'), tools: [pay] });
    const { responseMessages, toolCalls } = await agent.generateText('Pay');
    const content = toolCalls.map(({ approvalId = '', signature = '' }, index) => ({
      type: 'tool-approval-response' as const,
      approvalId,
      signature,
      approved: index === 0,
    }));
    const question: ModelMessage = { role: 'user', content: 'Pay' };

    const result = await agent.generateText([question, ...responseMessages, { role: 'tool', content }]);

    expect(result.toolResults).toMatchObject([{ toolCallId: 'c1', output: 'paid' }]);
    expect(result.responseMessages).toMatchObject([
      { role: 'tool', content: [{ toolCallId: 'c1' }, { toolCallId: 'c2' }] },
      { role: 'assistant', content: [{ text: 'Done.' }] },
    ]);
    expect(result).not.toHaveProperty('conversationId');
  });

  it('is empty where the run still waits', async () => {
    const agent = new Agent({ id: 'a', model: scriptedModel(pays('c1', 'c2'), 'Done.'), tools: [pay] });
    const { responseMessages, toolCalls } = await agent.generateText('Pay');
    const [{ approvalId = '', signature = '' } = {}] = toolCalls;
    const response = { type: 'tool-approval-response' as const, approvalId, signature, approved: true };
    const question: ModelMessage = { role: 'user', content: 'Pay' };

    const result = await agent.generateText([question, ...responseMessages, { role: 'tool', content: [response] }]);

    expect(result).toMatchObject({ text: '', fullText: '', reasoning: [], steps: [], finishReason: 'tool-calls' });
    expect(result.responseMessages).toHaveLength(1);
  });

  it('has neither empty messages nor those of answers that were sent back', async () => {
    const before: number[] = [];
    const schema = Type.Object({ city: Type.String() });
    const agent = new Agent({ id: 'a', model: scriptedModel('Sorry.', '{"city":"Rome"}') });
    const prepareStep = ({ responseMessages }: StepToPrepare): undefined => {
      before.push(responseMessages.length);
      return undefined;
    };

    await agent.generateObject('Where?', { schema, prepareStep });

    expect(before).toEqual([0, 0]);
    const silent = new Agent({ id: 'a', model: scriptedModel({}) });
    expect((await silent.generateText('Go')).responseMessages).toEqual([]);
  });

  it('has messages without what output guardrails cannot check', async () => {
    const look = createTool({ name: 'look', description: 'Looks', input: Type.Object({}), execute: () => 'seen' });
    const check = () => ({ action: 'allow' as const });
    const types = async (outputGuardrails: readonly OutputGuardrail[]): Promise<unknown> => {
      const model = scriptedModel(
        { reasoning: 'Hm.', text: 'Let me look.', toolCalls: [{ toolName: 'look', input: {} }] },
        { reasoning: 'So.', text: 'Done.' },
      );
      const agent = new Agent({ id: 'a', model, tools: [look], outputGuardrails });
      const { responseMessages } = await agent.generateText('Go', { services: { logger: silentLogger } });
      return responseMessages.map(({ content }) => (content as { type: string }[]).map(({ type }) => type));
    };

    expect(await types([{ name: 'all', check }])).toEqual([['text', 'tool-call'], ['tool-result'], ['text']]);
    expect(await types([])).toEqual([['reasoning', 'text', 'tool-call'], ['tool-result'], ['reasoning', 'text']]);
  });
});
