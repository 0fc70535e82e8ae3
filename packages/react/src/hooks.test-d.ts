import { createClient } from '@halyard/client';
import { expectTypeOf } from 'vitest';
import { type AgentMessage, useAgentChat } from './use-agent-chat.ts';
import { useExecution } from './use-execution.ts';

/** The part of `typeof server` that the client reads: tests/client checks that servers have it. */
interface App {
  readonly agents: readonly [
    { readonly id: 'support'; readonly '~tools'?: readonly [{ readonly name: 'search'; readonly '~tool'?: Search }] },
    { readonly id: 'billing'; readonly '~tools'?: readonly { readonly name: string }[] },
  ];
  readonly workflows: readonly [
    {
      readonly '~workflow'?: (input: { item: string }) => { cents: number };
      readonly '~flow'?: { readonly id: 'order'; readonly resume: { approved: boolean } };
    },
  ];
}
type Search = (input: { query: string }) => string[];
const client = createClient<App>();

// The parts of tool calls have the types of the agent's tools.
const chat = useAgentChat({ client, agentId: 'support', conversationId: 'c' });
for (const part of chat.messages.flatMap(({ parts }) => parts))
  if (part.type === 'tool-search' && part.state === 'output-available') {
    expectTypeOf(part.input).toEqualTypeOf<{ query: string }>();
    expectTypeOf(part.output).toEqualTypeOf<string[]>();
  }
// @ts-expect-error no such agent
useAgentChat({ client, agentId: 'suport', conversationId: 'c' });
// Without an id, a chat begins a conversation.
expectTypeOf(useAgentChat({ client, agentId: 'support' }).id).toEqualTypeOf<string>();
// @ts-expect-error the id of a conversation is a string
useAgentChat({ client, agentId: 'support', conversationId: 1 });

void chat.feedback({ id: 'm1' }, 'down', 'Too long');
// @ts-expect-error no such rating
void chat.feedback({ id: 'm1' }, 'good');

// An agent whose tools are not known has parts of any tool.
expectTypeOf<'tool-anything'>().toExtend<AgentMessage<App, 'billing'>['parts'][number]['type']>();

const execution = useExecution(client, 'order', 'e1');
expectTypeOf(execution.result).toEqualTypeOf<{ cents: number } | undefined>();
void execution.resume({ resumeData: { approved: true } });
// @ts-expect-error it is answered by yes or no
void execution.resume({ resumeData: { approved: 'yes' } });
// @ts-expect-error no such workflow
useExecution(client, 'orders', 'e1');

// Without the type of an app, every id is accepted.
const untyped = createClient();
useAgentChat({ client: untyped, agentId: 'any', conversationId: 'c' });
expectTypeOf(useExecution(untyped, 'any', 'e1').result).toEqualTypeOf<unknown>();
