import { Agent, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { AuthOptions } from '../../../access/auth-options.ts';
import { serve } from '../../../testing/serve.ts';
import { defaultConsoleRoutes } from '../../default-console-routes.ts';

const provider = {
  type: 'names',
  verifyToken: (token: string) => (['ada', 'bob'].includes(token) ? { id: token } : null),
};
const Input = Type.Object({ city: Type.String() });
const tool = { description: 'Tells the weather', input: Input, execute: () => 'sunny' };
const agent = new Agent({
  id: 'helper',
  name: 'Helper',
  description: 'Helps',
  suggestions: ['Which weather?'],
  instructions: 'A secret.',
  model: scriptedModel('ok'),
  tools: [
    createTool({ ...tool, name: 'weather' }),
    createTool({ ...tool, name: 'refund', needsApproval: true }),
    createTool({ name: 'locate', description: 'Runs in the client', input: Input }),
  ],
});
const trip = createWorkflow({ id: 'trip', name: 'Trip', purpose: 'Plans a trip', input: Input }).andThen({
  id: 'plan',
  execute: ({ data }) => data,
});

it('shows a user the names that the user may call, and nothing of how they work', async () => {
  const { body, status } = await catalogWith({ provider }, 'ada');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    data: {
      agents: [
        { id: 'helper', name: 'Helper', description: 'Helps', hasMemory: false, suggestions: ['Which weather?'] },
      ],
      workflows: [{ id: 'trip', name: 'Trip', purpose: 'Plans a trip', inputSchema: { required: ['city'] } }],
      tools: [{ name: 'weather', description: 'Tells the weather', inputSchema: { required: ['city'] } }],
    },
  });
  expect(JSON.stringify(body)).not.toMatch(/secret|refund|locate|"plan"|model/);
});

it('is the same for each user', async () => {
  expect(await catalogWith({ provider }, 'bob')).toEqual(await catalogWith({ provider }, 'ada'));
});

it('requires a token', async () => {
  expect((await catalogWith({ provider }, 'unknown')).status).toBe(401);
});

it.each([
  ['POST /agents/:id/chat', 'agents'],
  ['POST /workflows/:id/execute', 'workflows'],
  ['POST /tools/:name/execute', 'tools'],
])('leaves out what is reserved for the console by %s', async (route, part) => {
  const { body } = await catalogWith({ provider, consoleRoutes: [...defaultConsoleRoutes, route] }, 'ada');
  expect(body).toHaveProperty(['data', part], []);
});

async function catalogWith(auth: AuthOptions, token: string): Promise<{ status: number; body: unknown }> {
  const server = await serve([], { agents: [agent], workflows: [trip], auth });
  const response = await fetch(`${server.origin}/api/catalog`, { headers: { authorization: `Bearer ${token}` } });
  const body: unknown = await response.json();
  await server.close();
  return { status: response.status, body };
}
