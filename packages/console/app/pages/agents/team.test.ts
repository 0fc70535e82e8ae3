import { expect, it } from 'vitest';
import type { AgentSummary } from './agents-query.ts';
import { box, buildTeam } from './team.ts';

const agent = (id: string, ...subAgents: readonly string[]): AgentSummary => {
  const shared = { description: '', status: 'idle', model: 'm', tools: [], memory: null } as const;
  return {
    ...shared,
    id,
    name: id,
    tools: [],
    subAgents: subAgents.map((sub) => ({ ...shared, id: sub, name: sub, tools: [] })),
  } as Partial<AgentSummary> as AgentSummary;
};

const columnsOf = (agentId: string, agents: readonly AgentSummary[]): unknown =>
  buildTeam(agentId, agents).members.map(({ id, x }) => [id, x / (box.width + 88)]);

it('is empty for an agent that does not exist', () => {
  expect(buildTeam('gone', [agent('a')])).toEqual({ members: [], lines: [] });
});

it('is the agent alone if it delegates to nobody', () => {
  const { lines, members } = buildTeam('a', [agent('a'), agent('b')]);
  expect(members).toMatchObject([{ id: 'a', x: 0, y: -box.height / 2 }]);
  expect(lines).toEqual([]);
});

it('has those that delegate to it at the left, and those that it delegates to at the right', () => {
  const agents = [agent('boss', 'a', 'other'), agent('a', 'b', 'c'), agent('b', 'd'), agent('c'), agent('d')];
  expect(columnsOf('a', agents)).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 2],
    ['d', 3],
    ['boss', 0],
  ]);
  expect(buildTeam('a', agents).lines).toEqual([
    { from: 'a', to: 'b' },
    { from: 'b', to: 'd' },
    { from: 'a', to: 'c' },
    { from: 'boss', to: 'a' },
  ]);
});

it('centres each column', () => {
  const { members } = buildTeam('a', [agent('a', 'b', 'c'), agent('b'), agent('c')]);
  expect(members.map(({ id, y }) => [id, y + box.height / 2])).toEqual([
    ['a', 0],
    ['b', -58],
    ['c', 58],
  ]);
});

it('places an agent after the longest way to it', () => {
  const agents = [agent('a', 'c', 'b'), agent('b', 'c'), agent('c')];
  expect(columnsOf('a', agents)).toEqual([
    ['a', 0],
    ['c', 2],
    ['b', 1],
  ]);
});

it('shows a sub-agent that the list does not contain', () => {
  expect(columnsOf('a', [agent('a', 'hidden')])).toEqual([
    ['a', 0],
    ['hidden', 1],
  ]);
});

it('ends where agents delegate in a circle', () => {
  const { lines, members } = buildTeam('a', [agent('a', 'b'), agent('b', 'a')]);
  expect(members.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  expect(lines).toHaveLength(2);
});
