import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { Agent } from './agent/agent.ts';
import { createRegistry } from './registry.ts';
import { scriptedModel } from './testing/index.ts';
import { createTool } from './tool/create-tool.ts';
import { createWorkflow } from './workflow/create-workflow.ts';
import { andAgent } from './workflow/steps/and-agent.ts';

const tool = (name: string) => createTool({ name, description: 'A tool', input: Type.Object({}), execute: () => 1 });
const agent = (id: string, ...tools: ReturnType<typeof tool>[]) => new Agent({ id, model: scriptedModel(''), tools });

it('lists agents and tools, with the agents that use a tool', () => {
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

it('lists the agents of workflows, at any depth', () => {
  const [registered, single, nested, inner] = [agent('registered'), agent('single'), agent('nested'), agent('inner')];
  const child = createWorkflow({ id: 'child', input: Type.Object({}) }).andAgent({ id: 'i', agent: inner, prompt: '' });
  const workflow = createWorkflow({ id: 'parent', input: Type.Object({}) })
    .andAgent({ id: 'r', agent: registered, prompt: '' })
    .andAgent({ id: 's', agent: single, prompt: '' })
    .andAll({
      id: 'all',
      steps: [andAgent({ id: 'n', agent: nested, prompt: '' }), andAgent({ id: 'o', agent: nested, prompt: '' })],
    })
    .andThen({ id: 'empty', execute: () => ({}) })
    .andWorkflow({ id: 'w', workflow: child });

  const { agents, allAgents } = createRegistry({ agents: [registered], workflows: [workflow] });

  expect(agents).toEqual([registered]);
  expect(allAgents).toEqual([registered, single, nested, inner]);
});

it('names the missing item', () => {
  const registry = createRegistry({});

  expect(() => registry.getAgent('x')).toThrow(expect.objectContaining({ code: 'AGENT_NOT_FOUND' }));
  expect(() => registry.getTool('x')).toThrow(expect.objectContaining({ code: 'TOOL_NOT_FOUND' }));
});

it('refuses two agents with the same id and two different tools of the server with the same name', () => {
  expect(() => createRegistry({ agents: [agent('a'), agent('a')] })).toThrow('Two agents have the id "a"');
  expect(() => createRegistry({ tools: [tool('t'), tool('t')] })).toThrow(
    'Two different tools of the server are named "t"',
  );
});

it('names the agent of a tool where others have the same name', () => {
  const [ofServer, ofSupport, ofShop, own] = [tool('search'), tool('search'), tool('search'), tool('own')];
  const agents = [agent('support', ofSupport, own), agent('shop', ofShop)];
  const namesIn = ({ tools }: ReturnType<typeof createRegistry>) => tools.map(({ name }) => name);

  const registry = createRegistry({ agents });
  expect(namesIn(registry)).toEqual(['support/search', 'own', 'shop/search']);
  expect(registry.getTool('shop/search')).toMatchObject({ tool: ofShop, agents: [agents[1]] });
  expect(registry.getTool('support/own').tool).toBe(own);
  expect(registry.findTool('search')).toBeUndefined();
  expect(registry.findTool('shop/own')).toBeUndefined();

  const withOwn = createRegistry({ agents, tools: [ofServer] });
  expect(namesIn(withOwn)).toEqual(['search', 'support/search', 'own', 'shop/search']);
  expect(withOwn.getTool('search')).toMatchObject({ tool: ofServer, agents: [] });
});

it('reaches a tool by its agent only where the agent may be reached', () => {
  const hidden = new Agent({ id: 'hidden', model: scriptedModel(''), tools: [tool('search')], access: 'server' });

  const registry = createRegistry({ agents: [hidden, agent('shop', tool('search'))] });

  expect(registry.tools.map(({ access, name }) => [name, access])).toEqual([
    ['hidden/search', 'server'],
    ['shop/search', 'users'],
  ]);
});
