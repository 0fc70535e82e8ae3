import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { scriptedModel } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { createRegistry } from './registry.ts';

const tool = (name: string) => createTool({ name, description: 'A tool', input: Type.Object({}), execute: () => 1 });
const agent = (id: string, ...tools: ReturnType<typeof tool>[]) => new Agent({ id, model: scriptedModel(''), tools });

it('knows agents and tools, and which agents use a tool', () => {
  const [shared, own, free] = [tool('shared'), tool('own'), tool('free')];
  const [first, second] = [agent('first', shared, own), agent('second', shared)];

  const registry = createRegistry({ agents: [first, second], tools: [free, shared] });

  expect(registry.getAgent('second')).toBe(second);
  expect(registry.getTool('shared').agents).toEqual([first, second]);
  expect(registry.tools.map(({ tool: { name }, agents }) => [name, agents.length])).toEqual([
    ['free', 0],
    ['shared', 2],
    ['own', 1],
  ]);
});

it('says what is not there', () => {
  const registry = createRegistry({});

  expect(() => registry.getAgent('x')).toThrow(expect.objectContaining({ code: 'AGENT_NOT_FOUND' }));
  expect(() => registry.getTool('x')).toThrow(expect.objectContaining({ code: 'TOOL_NOT_FOUND' }));
});

it('refuses two agents of one id and two different tools of one name', () => {
  expect(() => createRegistry({ agents: [agent('a'), agent('a')] })).toThrow('Two agents have the id "a"');
  expect(() => createRegistry({ agents: [agent('a', tool('t')), agent('b', tool('t'))] })).toThrow(
    'Two different tools are named "t"',
  );
});
