import { type Agent, type AnyWorkflow, createWorkflow } from '@halyard/core';
import { payingWorkflows } from '../../../../../packages/server-fastify/src/testing/approvals.ts';
import { workflows } from '../../../../../packages/server-fastify/src/testing/workflows.ts';

/** They wait for a gate that no attack can open, or for a day. */
const endless: ReadonlySet<string> = new Set(['gated', 'busy', 'sleeper']);

/** Workflows of every kind, one that asks the parrot, and one that returns its input. */
export function workflowsOf(agents: readonly Agent[]): readonly AnyWorkflow[] {
  const parrot = agents.find(({ id }) => id === 'parrot');
  if (parrot === undefined) throw new Error('there is no parrot');
  const repeat = createWorkflow({ id: 'repeat', name: 'Repeat', purpose: 'Asks an agent' }).andAgent({
    id: 'say',
    agent: parrot,
    prompt: 'What do you know of roses?',
  });
  const echo = createWorkflow({ id: 'echo', name: 'Echo', purpose: 'Returns its input' }).andThen({
    id: 'say',
    execute: ({ data }) => data,
  });
  return [...workflows, ...payingWorkflows, repeat, echo].filter(({ id }) => !endless.has(id));
}
