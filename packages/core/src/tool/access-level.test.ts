import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { scriptedModel } from '../testing/index.ts';
import { createWorkflow } from '../workflow/create-workflow.ts';
import type { AccessLevel } from './access-level.ts';
import { createTool } from './create-tool.ts';

type Options = { readonly access?: AccessLevel };
const model = scriptedModel('');
const makers = {
  agent: (options: Options) => new Agent({ id: 'a', model, ...options }),
  tool: (options: Options) => createTool({ name: 'a', description: '', input: Type.Object({}), ...options }),
  workflow: (options: Options) => createWorkflow({ id: 'a', ...options }),
};

it.each(Object.entries(makers))('an %s is for users unless it says otherwise', (_, make) => {
  expect(make({}).access).toBe('users');
  for (const access of ['users', 'operators', 'server'] as const) expect(make({ access }).access).toBe(access);
});

it.each(Object.entries(makers))('an %s with another access is refused', (kind, make) => {
  for (const access of ['user', 'admin', '', null, true])
    expect(() => make({ access: access as AccessLevel })).toThrow(
      `\`access\` of ${kind} "a" must be "users", "operators" or "server", not ${JSON.stringify(access)}`,
    );
});

it('a workflow keeps its access with further steps and schedules', () => {
  const workflow = createWorkflow({ id: 'a', access: 'server' })
    .andThen({ id: 'one', execute: () => 1 })
    .schedule({ cron: '@daily' });
  expect(workflow.access).toBe('server');
});

it('the tool of an agent has the access of the agent', () => {
  expect(new Agent({ id: 'a', model, access: 'server' }).toTool().access).toBe('server');
});
