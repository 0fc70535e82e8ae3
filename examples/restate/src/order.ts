import { type Agent, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** Takes an order, waits until a person approves it, and lets the clerk thank the customer. */
export function createOrder(clerk: Agent) {
  return createWorkflow({
    id: 'order',
    name: 'Order',
    purpose: 'Takes an order that a person approves',
    input: Type.Object({ product: Type.String({ minLength: 1 }), customer: Type.String({ minLength: 1 }) }),
    resumeSchema: Type.Object({ by: Type.String({ minLength: 1 }) }),
  })
    .andThen({
      id: 'approve',
      execute: ({ data, resumeData, suspend }) =>
        resumeData === undefined ? suspend(`${data.customer} orders ${data.product}`) : { ...data, ...resumeData },
    })
    .andSleep({ id: 'pack', durationMs: 1_000 })
    .andAgent({ id: 'thank', agent: clerk, prompt: ({ input }) => `Thank ${input.customer} for: ${input.product}` })
    .andMap({
      id: 'receipt',
      map: { approvedBy: { from: 'step', stepId: 'approve', path: 'by' }, text: { from: 'step', stepId: 'thank' } },
    });
}
