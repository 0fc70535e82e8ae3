import { ConfigurationError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createMemory } from '../memory/memory.ts';
import { scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { Agent } from './agent.ts';

const model = scriptedModel('Hi');
const named = (name: string) => createTool({ name, description: name, input: Type.Object({}), execute: () => name });

describe('an agent', () => {
  it('has defaults for all that it does not need', () => {
    const agent = new Agent({ id: 'a', model });
    expect(agent).toMatchObject({
      id: 'a',
      name: 'a',
      description: '',
      instructions: '',
      tools: [],
      subAgents: [],
      hooks: {},
      processors: [],
      maxSteps: 10,
      settings: {},
      acceptSystemMessages: true,
      rawChunks: false,
      resumable: false,
      onBusy: 'queue',
      choosesTools: false,
      choosesSubAgents: false,
      modelName: 'scripted',
    });
    expect([agent.memory, agent.durable, agent.smoothing, agent.providers]).toEqual(Array(4).fill(undefined));
    expect(agent.messageMetadata).toBeTypeOf('function');
    expect(agent.retries.maxRetries).toBeGreaterThan(0);
    expect(agent.timeouts.totalMs).toBe(600_000);
  });

  it('has the fields of its options', () => {
    const options = {
      name: 'Ann',
      description: 'Helps',
      instructions: 'Be brief.',
      hooks: { onStart: () => {} },
      maxSteps: 1,
      acceptSystemMessages: false,
      rawChunks: true,
      resumable: true,
      durable: false,
      onBusy: 'reject',
    } as const;
    const agent = new Agent({ id: 'a', model, ...options, generation: { seed: 1 }, messageMetadata: false });
    expect(agent).toMatchObject({ ...options, settings: { seed: 1 } });
    expect(agent.messageMetadata).toBeUndefined();
    expect(new Agent({ id: 'a', model, retries: { maxRetries: 0 } }).retries).toEqual({
      ...new Agent({ id: 'a', model }).retries,
      maxRetries: 0,
    });
    expect(new Agent({ id: 'a', model, timeouts: { toolMs: 5 } }).timeouts).toEqual({
      ...new Agent({ id: 'a', model }).timeouts,
      toolMs: 5,
    });
    expect(new Agent({ id: 'a', model: [model, scriptedModel('No')] }).modelName).toBe('scripted');
    expect(new Agent({ id: 'a', model: () => model }).modelName).toBe('dynamic');
  });

  it.each(['a', 'A.b_c:d-9', 'x'.repeat(128)])('may have the id %s', (id) => {
    expect(new Agent({ id, model }).id).toBe(id);
  });

  it.each<[string, object]>([
    ['Agent id "" must match', { id: '' }],
    ['Agent id "a b" must match', { id: 'a b' }],
    ['Agent id "a/b" must match', { id: 'a/b' }],
    ['must match ^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$', { id: 'x'.repeat(129) }],
    ['maxSteps of agent "a" must be an integer from 1 to 50', { maxSteps: 0 }],
    ['maxSteps of agent "a" must be an integer from 1 to 50', { maxSteps: 51 }],
    ['maxSteps of agent "a" must be an integer from 1 to 50', { maxSteps: 1.5 }],
    ['Agent "a" has no option "tool"', { tool: [] }],
    ['Agent "a" has two tools named "look"', { tools: [named('look'), named('look')] }],
    ['Agent "a" has two tools named "ask_b"', { tools: [named('ask_b')], subAgents: [new Agent({ id: 'b', model })] }],
    ['`tools` of agent "a"', { tools: [7] }],
    ['`subAgents` of agent "a"', { subAgents: [7] }],
    ['`subAgents` of agent "a"', { subAgents: [{}] }],
    ['contextTokens of agent "a" must be an integer from 1 on', { contextTokens: 0 }],
    ['contextTokens of agent "a" must be an integer from 1 on', { contextTokens: 1.5 }],
    [
      'compaction of agent "a" needs a memory: remove memory: false',
      { memory: false, compaction: { afterTokens: 300 } },
    ],
    [
      'compaction.afterTokens of agent "a" must be less than its contextTokens',
      { contextTokens: 300, compaction: { afterTokens: 300 } },
    ],
  ])('is refused: %s', (message, options) => {
    const create = () => new Agent({ id: 'a', model, ...options });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
  });

  it('has 50 steps at most, and its processors in order', () => {
    const check = () => ({ action: 'allow' as const });
    const agent = new Agent({
      id: 'a',
      model,
      maxSteps: 50,
      contextTokens: 301,
      compaction: { afterTokens: 300 },
      processors: [{ name: 'own' }],
      inputGuardrails: [{ name: 'in', check }],
      outputGuardrails: [{ name: 'out', check }],
    });
    expect(agent.maxSteps).toBe(50);
    expect(agent.processors.map(({ name }) => name)).toEqual(['own', 'in', 'out', 'compaction', 'token window']);
    expect(new Agent({ id: 'a', model, contextTokens: 1 }).processors).toHaveLength(1);
  });

  it('finds its tools and those that call its sub-agents, by name', async () => {
    const worker = new Agent({ id: 'b', model });
    const agent = new Agent({ id: 'a', model, tools: [named('look')], subAgents: [worker] });
    expect(agent.tools.map(({ name }) => name)).toEqual(['look']);
    const nobody = { context: {}, user: undefined, userId: undefined, conversationId: undefined };
    const tools = await agent.toolsFor(nobody);
    expect(tools.modelTools.map(({ name }) => name)).toEqual(['look', 'ask_b']);
    expect([agent.findTool('look')?.name, agent.findTool('ask_b')?.name, agent.findTool('c')]).toEqual([
      'look',
      'ask_b',
      undefined,
    ]);
    expect(tools.defersResults('look')).toBe(false);
  });

  it('has its own memory, else that of the services, or none', () => {
    const [own, shared] = [createMemory(), createMemory()];
    expect(new Agent({ id: 'a', model, memory: own }).memoryIn({ memory: shared })).toBe(own);
    expect(new Agent({ id: 'a', model }).memoryIn({ memory: shared })).toBe(shared);
    expect(new Agent({ id: 'a', model }).memoryIn({})).toBeUndefined();
    expect(new Agent({ id: 'a', model, memory: false }).memoryIn({ memory: shared })).toBeUndefined();
  });

  it('creates its services once', () => {
    const agent = new Agent({ id: 'a', model });
    expect(agent.services).toBe(agent.services);
  });

  it('logs each warning once, and a hundred at most', () => {
    const lines: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void lines.push(line) };
    const agent = new Agent({ id: 'a', model });
    const warnings = Array.from({ length: 101 }, (_, index) => ({ type: 'other', message: String(index) }));
    agent.warn(logger, warnings);
    agent.warn(logger, warnings);
    expect(lines).toHaveLength(100);
    expect(lines[0]).toEqual([{ agentId: 'a', warning: warnings[0] }, 'a model call returned a warning']);
  });
});
