import { UnavailableError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import type { InternalRunOptions } from '../../agent/agent-options.ts';
import { Agent } from '../../agent/agent.ts';
import type { AgentInput } from '../../model/messages/message.ts';
import { scriptedModel } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { createWorkflow } from '../../workflow/create-workflow.ts';
import { andAgent } from '../../workflow/steps/and-agent.ts';
import { andThen } from '../../workflow/steps/and-then.ts';
import { WorkflowKit } from '../../workflow/testing/workflow-kit.ts';
import { resumeExecutions, type FollowServices } from './resume-executions.ts';

interface Asked {
  readonly approvalId: string;
  readonly signature: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

const notAccepted = { kind: 'invalid-input', code: 'APPROVAL_NOT_ACCEPTED' };
const ada: InternalRunOptions = { userId: 'ada', conversationId: 'talk', user: { id: 'ada' } };

/** A workflow whose agent wants to pay twice, beside steps that wait for other data. */
async function setUp() {
  const pay = createTool({
    name: 'pay',
    description: 'Pays',
    input: Type.Object({ cents: Type.Number() }),
    needsApproval: true,
    execute: () => 'paid',
  });
  const calls = [1, 2].map((cents) => ({ toolName: 'pay', toolCallId: `p${cents}`, input: { cents } }));
  const agent = new Agent({ id: 'payer', model: scriptedModel({ toolCalls: calls }, 'Done.'), tools: [pay] });
  const waiting = [undefined, null, 'text', { approvalId: 'another' }].map((data, at) =>
    andThen({ id: `wait-${at}`, execute: ({ resumeData, suspend }) => resumeData ?? suspend('waits', data) }),
  );
  const steps = [...waiting, andAgent({ id: 'buy', agent, prompt: 'Pay' })];
  const kit = new WorkflowKit(createWorkflow({ id: 'shop' }).andAll({ id: 'all', steps }));
  const { executionId, suspensions = [] } = await kit.run(null, { userId: 'ada', conversationId: 'talk' });
  const asked = suspensions.flatMap(({ suspendData, stepId }) =>
    stepId === 'buy' ? [suspendData as unknown as Asked] : [],
  );
  const services = (changed: Partial<FollowServices> = {}): FollowServices => ({
    agentServices: kit.services,
    storage: kit.storage,
    workflows: kit.runtime,
    ...changed,
  });
  return { agent, asked, executionId, kit, services };
}

function answers(asked: readonly Asked[]): AgentInput {
  return [
    { role: 'user', content: 'Pay' },
    {
      role: 'assistant',
      content: asked.map(({ input, toolCallId, toolName }) => ({ type: 'tool-call', toolCallId, toolName, input })),
    },
    {
      role: 'tool',
      content: asked.map(({ approvalId, signature }) => ({
        type: 'tool-approval-response' as const,
        approvalId,
        signature,
        approved: true,
      })),
    },
  ];
}

describe('answers of a chat to the approvals of executions', () => {
  it.each(['hi', [{ role: 'user' as const, content: 'hi' }]])('are not in %j', async (input) => {
    const { agent, services } = await setUp();
    expect(await resumeExecutions(agent, input, ada, services())).toBeUndefined();
  });

  it.each([
    ['the user', ada, 'ada'],
    ['nobody', { userId: 'ada', conversationId: 'talk' }, undefined],
  ])('resume the execution for %s', async (_, options, resumedBy) => {
    const { agent, asked, kit, services } = await setUp();
    const resumed: unknown[] = [];
    const { runtime } = kit;
    const workflows: FollowServices['workflows'] = {
      follow: (...given) => runtime.follow(...given),
      resume: async (key, resume) => {
        resumed.push(resume?.resumedBy, resume?.traceParent);
        await runtime.resume(key, resume);
      },
    };
    const traceParent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const run = await resumeExecutions(agent, answers(asked), { ...options, traceParent }, services({ workflows }));
    const events = [];
    for await (const batch of run?.batches() ?? []) events.push(...batch.map(({ type }) => type));
    expect(events.filter((type) => type === 'tool-result')).toHaveLength(2);
    expect(events.at(-1)).toBe('finish');
    expect(resumed).toEqual([resumedBy, traceParent, resumedBy, traceParent]);
  });

  it('are refused where the execution is gone', async () => {
    const { agent, asked, executionId, kit, services } = await setUp();
    const storage = { executions: { find: async () => undefined } };
    await expect(resumeExecutions(agent, answers(asked), ada, services({ storage }))).rejects.toMatchObject(
      notAccepted,
    );
    expect(await kit.row(executionId)).toMatchObject({ status: 'suspended' });
  });

  it('are refused for a workflow that is hidden from the user', async () => {
    const { agent, asked, services } = await setUp();
    const hidden = resumeExecutions(agent, answers(asked), ada, services({ hiddenWorkflows: ['shop'] }));
    await expect(hidden).rejects.toMatchObject(notAccepted);
  });

  describe.each([
    ['answers first', (kit: WorkflowKit, id: string) => kit.resume(id, { approved: true }, 'buy')],
    ['cancels the execution', (kit: WorkflowKit, id: string) => kit.cancel(id)],
  ])('when another request %s', (_, interfere) => {
    it('are refused, and nothing is followed any more', async () => {
      const { agent, asked, executionId, kit, services } = await setUp();
      const { runtime } = kit;
      let following = 0;
      const workflows: FollowServices['workflows'] = {
        follow: async (...given) => {
          const followed = await runtime.follow(...given);
          following += 1;
          const stop = followed.stop.bind(followed);
          return Object.assign(followed, {
            stop: () => {
              following -= 1;
              stop();
            },
          });
        },
        resume: async (...given) => {
          await interfere(kit, executionId);
          await runtime.resume(...given);
        },
      };
      const [first] = asked;
      const refused = resumeExecutions(
        agent,
        answers(first === undefined ? [] : [first]),
        ada,
        services({ workflows }),
      );
      await expect(refused).rejects.toMatchObject({ ...notAccepted, cause: expect.any(Error) });
      expect(following).toBe(0);
    });
  });

  it.each([new UnavailableError('STORAGE_UNAVAILABLE', 'The database is gone'), new TypeError('No database')])(
    'fail with the storage: %s',
    async (failure) => {
      const { agent, asked, kit, services } = await setUp();
      const workflows: FollowServices['workflows'] = {
        follow: (...given) => kit.runtime.follow(...given),
        resume: async () => {
          throw failure;
        },
      };
      await expect(resumeExecutions(agent, answers(asked), ada, services({ workflows }))).rejects.toBe(failure);
    },
  );
});
