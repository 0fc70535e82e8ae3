import { type AgentClient, createClient, type RunResult } from '@halyard/client';
import { Agent, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardOptions } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

const model = scriptedModel('Hello.');
const dice = createTool({
  name: 'dice',
  description: 'Rolls dice',
  input: z.object({ count: z.number().default(1) }),
  execute: ({ count }) => ({ total: count * 3, at: new Date() }),
});
const search = createTool({
  name: 'search',
  description: 'Finds pages',
  input: Type.Object({ query: Type.String() }),
  output: Type.Array(Type.String()),
  execute: () => [],
});
const ask = createTool({ name: 'ask', description: 'Asks the person', input: Type.Object({}) });
const support = new Agent({ id: 'support', model, tools: [search] });
const billing = new Agent({ id: 'billing', model });
const order = createWorkflow({
  id: 'order',
  input: Type.Object({ item: Type.String() }),
  resumeSchema: Type.Object({ approved: Type.Boolean() }),
}).andThen({ id: 'price', execute: ({ data }) => ({ ...data, cents: 500, at: new Date() }) });
const greet = createWorkflow({ id: 'greet', input: z.object({ name: z.string().default('Ada') }) }).andThen({
  id: 'say',
  execute: ({ data }) => `Hello ${data.name}`,
});

const server = await createServer({ agents: [support, billing], tools: [dice], workflows: { order, greet } });
const client = createClient<typeof server>({ baseUrl: 'http://localhost:3141' });

// Ids.
expectTypeOf(client.agent).parameter(0).toEqualTypeOf<'support' | 'billing'>();
expectTypeOf(client.workflow).parameter(0).toEqualTypeOf<'order' | 'greet'>();
void [client.tool('dice'), client.tool('search')];
expectTypeOf(client.tool('support/search').execute).parameter(0).toEqualTypeOf<{ query: string }>();
expectTypeOf(client.agent('support')).toEqualTypeOf<AgentClient<'support'>>();
// @ts-expect-error no such agent
client.agent('suport');
// @ts-expect-error no such workflow
client.workflow('orders');
// @ts-expect-error a tool that no agent has and that is not registered
client.tool('ask');

// Workflows: what is sent and received is JSON.
const orders = client.workflow('order');
expectTypeOf(orders.run).parameter(0).toEqualTypeOf<{ item: string }>();
expectTypeOf(orders.start).parameter(0).toEqualTypeOf<{ item: string }>();
// @ts-expect-error the item is a text
void orders.run({ item: 5 });
interface Priced {
  item: string;
  cents: number;
  at: string;
}
const priced = await orders.run({ item: 'sail' });
expectTypeOf(priced).toEqualTypeOf<RunResult<Priced>>();
if (priced.status === 'completed') expectTypeOf(priced.result).toEqualTypeOf<Priced>();
else expectTypeOf(priced.result).toEqualTypeOf<null>();
void orders.resume('e1', { resumeData: { approved: true } });
// @ts-expect-error it is answered by yes or no
void orders.resume('e1', { resumeData: { approved: 'yes' } });
expectTypeOf((await orders.start({ item: 'sail' })).result).returns.resolves.toEqualTypeOf<RunResult<Priced>>();
// A default makes a field optional for those who send it.
expectTypeOf(client.workflow('greet').run).parameter(0).toEqualTypeOf<{ name?: string | undefined }>();
expectTypeOf(client.workflow('greet').result).returns.resolves.toEqualTypeOf<RunResult<string>>();

// Tools.
expectTypeOf(client.tool('dice').execute).parameter(0).toEqualTypeOf<{ count?: number | undefined }>();
expectTypeOf(await client.tool('dice').execute({})).toEqualTypeOf<{ total: number; at: string }>();
expectTypeOf(await client.tool('search').execute({ query: 'sails' })).toEqualTypeOf<string[]>();

// Objects have the type of the schema that is sent.
const City = Type.Object({ name: Type.String() });
expectTypeOf(await client.agent('support').object('Which?', { schema: City })).toEqualTypeOf<{ name: string }>();
const zod = z.object({ name: z.string(), people: z.number().optional() });
expectTypeOf(await client.agent('support').object('Which?', { schema: zod })).toEqualTypeOf<{
  name: string;
  people?: number | undefined;
}>();
const plain = { type: 'object', properties: { name: { type: 'string' } } };
expectTypeOf(await client.agent('support').object('Which?', { schema: plain })).toEqualTypeOf<unknown>();
for await (const event of client.agent('billing').streamObject('Which?', { schema: City }))
  if (event.type === 'object') expectTypeOf(event.object).toEqualTypeOf<{ name: string }>();

// The plugin has no server: its options have the same types.
const options = { agents: { support }, tools: [ask, dice], workflows: [order] } satisfies HalyardOptions;
const ofPlugin = createClient<typeof options>();
expectTypeOf(ofPlugin.agent).parameter(0).toEqualTypeOf<'support'>();
void [ofPlugin.tool('ask'), ofPlugin.tool('support/search')];
expectTypeOf(ofPlugin.workflow('order').run).parameter(0).toEqualTypeOf<{ item: string }>();

// A server with no workflows has no ids of workflows.
const bare = await createServer({ agents: [billing] });
expectTypeOf(createClient<typeof bare>().workflow).parameter(0).toEqualTypeOf<never>();

// Without a type, every id is accepted.
const untyped = createClient();
expectTypeOf(untyped.agent).parameter(0).toEqualTypeOf<string>();
expectTypeOf(untyped.tool).parameter(0).toEqualTypeOf<string>();
expectTypeOf(untyped.workflow('any').run).parameter(0).toEqualTypeOf<unknown>();
expectTypeOf(untyped.tool('any').execute).returns.resolves.toEqualTypeOf<unknown>();

// Options that do not exist are refused as before.
// @ts-expect-error no such option
void createServer({ agent: [support] });

// Every event of an execution says where it comes from; errors are thrown.
for await (const event of client.workflow('order').execution('e1')) expectTypeOf(event.from).toEqualTypeOf<string>();
expectTypeOf(client.workflow('order').execution('e1').executionId).toEqualTypeOf<string>();
