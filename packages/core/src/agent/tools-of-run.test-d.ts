import { Type } from '@sinclair/typebox';
import { expectTypeOf } from 'vitest';
import { scriptedModel } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { Agent } from './agent.ts';

const search = createTool({
  name: 'search',
  description: 'Finds pages',
  input: Type.Object({ query: Type.String() }),
  execute: ({ query }) => [query],
});
const refund = createTool({
  name: 'refund',
  description: 'Returns money',
  input: Type.Object({ cents: Type.Integer() }),
  execute: ({ cents }) => ({ cents }),
});

// Results have the types of all tools that the function can choose.
const agent = new Agent({
  id: 'support',
  model: scriptedModel('Done.'),
  tools: ({ user, conversationId }) => {
    expectTypeOf(conversationId).toEqualTypeOf<string | undefined>();
    return user?.['role'] === 'manager' ? [search, refund] : [search];
  },
  subAgents: async () => [],
});
const [result] = (await agent.generateText('Hello')).toolResults;
if (result?.toolName === 'refund') expectTypeOf(result.output).toEqualTypeOf<{ cents: number }>();
if (result?.toolName === 'search') expectTypeOf(result.output).toEqualTypeOf<string[]>();
