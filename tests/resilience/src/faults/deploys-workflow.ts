import { createWorkflow, type StepContext } from '@halyard/core';
import { Type } from '@sinclair/typebox';

const Order = Type.Object({ n: Type.Number() });

const ask = {
  id: 'ask',
  execute: ({ resumeData, suspend }: StepContext<unknown>) => (resumeData === undefined ? suspend('asks') : 'asked'),
};
const charge = { id: 'charge', execute: () => 'charged' };

const first = createWorkflow({ id: 'deployed', input: Order }).andThen(ask);
const second = first.andThen(charge);
const third = createWorkflow({ id: 'deployed', input: Order, versions: [second] })
  .andThen({ id: 'check', execute: () => 'checked' })
  .andThen(ask)
  .andThen(charge);

/**
 * One workflow as three releases of the app have it: the second appends a step, the third changes
 * the first step and keeps the second version.
 */
export const deployedWorkflows = [first, second, third] as const;
