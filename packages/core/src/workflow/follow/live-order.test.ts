import { createInMemoryStorage, InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { Agent } from '../../agent/agent.ts';
import { defaultServices, systemClock } from '../../agent/default-services.ts';
import { scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { Gate } from '../testing/gate.ts';
import type { FollowedEvent } from './follow-execution.ts';

const owner = 'anyone' as const;

/** Reads of its events wait at a gate, before or after they read. */
class SlowStore extends InMemoryExecutionStore {
  gate: Gate | undefined;
  waits: 'before' | 'after' = 'before';

  override async events(...given: Parameters<InMemoryExecutionStore['events']>) {
    if (this.waits === 'before') await this.gate?.pass(new AbortController());
    const found = await super.events(...given);
    if (this.waits === 'after') await this.gate?.pass(new AbortController());
    return found;
  }
}

function runtimeOf(workflow: ConstructorParameters<typeof WorkflowRuntime>[0]['workflows'][number]) {
  const executions = new SlowStore(systemClock);
  const runtime = new WorkflowRuntime({
    workflows: [workflow],
    storage: { ...createInMemoryStorage(), executions },
    services: { ...defaultServices(), logger: silentLogger },
  });
  runtime.startByHand();
  return { executions, runtime };
}

async function typesOf(events: AsyncIterable<FollowedEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const { event } of events)
    types.push(event.type === 'agent-event' ? `agent ${(event['event'] as { type: string }).type}` : event.type);
  return types;
}

it.each(['before', 'after'] as const)(
  'delivers the events of an agent before the end of its step to a reader whose first read is slow: %s',
  async (waits) => {
    const held = new Gate();
    const hold = createTool({
      name: 'hold',
      description: 'Waits.',
      input: { type: 'object' } as const,
      execute: async (_input, context) => {
        await held.pass(context);
        return 'held';
      },
    });
    const model = scriptedModel({ toolCalls: [{ toolName: 'hold', toolCallId: 'h', input: {} }] }, 'Done.');
    const agent = new Agent({ id: 'a', model, tools: [hold] });
    const { executions, runtime } = runtimeOf(
      createWorkflow({ id: 'flow' }).andAgent({ id: 'ask', agent, prompt: 'Go' }),
    );
    const executionId = await runtime.begin('flow', null, {});
    await held.entered;
    const slow = new Gate();
    Object.assign(executions, { gate: slow, waits });

    const types = typesOf(await runtime.follow({ owner, workflowId: 'flow', executionId }, 0));
    await slow.entered;
    held.open();
    await runtime.wait({ owner, executionId });
    executions.gate = undefined;
    slow.open();

    const all = await types;
    expect(all.slice(0, 2)).toEqual(['workflow-start', 'step-start']);
    expect(all).toContain('agent finish');
    expect(all.slice(all.indexOf('agent finish') + 1)).toEqual([
      'step-complete',
      'workflow-complete',
      'workflow-result',
    ]);
  },
);
