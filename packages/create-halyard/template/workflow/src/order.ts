import { type Agent, andThen, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** Orders of at least this amount wait for an operator. */
const approvalFromEuros = 1_000;

const Order = Type.Object({
  customer: Type.String({ minLength: 1, maxLength: 100 }),
  item: Type.String({ minLength: 1, maxLength: 100 }),
  euros: Type.Number({ exclusiveMinimum: 0 }),
});

/** The answer of the person who decides. */
const Decision = Type.Object({
  approved: Type.Boolean({ title: 'Approve the order' }),
  by: Type.String({ minLength: 1, maxLength: 100, title: 'Your name' }),
});

/** Each step is recorded when it ends: after a restart the execution continues where it was. */
export function createOrder(writer: Agent) {
  return createWorkflow({
    id: 'order',
    name: 'Order',
    purpose: 'Takes an order, asks an operator about large ones, and writes to the customer',
    input: Order,
    resumeSchema: Decision,
  })
    .andWhen({
      id: 'large',
      condition: ({ data }) => data.euros >= approvalFromEuros,
      step: andThen({
        id: 'approve',
        purpose: 'Waits for an operator, minutes or months',
        execute: ({ bail, data, resumeData, resumedBy, state, suspend }) => {
          // Users may respond to requests in their own executions. Operators respond in the
          // console, as no user.
          const isOwnAnswer = resumedBy !== undefined && resumedBy === state.userId;
          if (resumeData === undefined || isOwnAnswer)
            return suspend(`${data.customer} orders for € ${data.euros}`, data);
          return resumeData.approved ? data : bail({ status: 'declined', by: resumeData.by });
        },
      }),
    })
    .andAgent({
      id: 'letter',
      agent: writer,
      prompt: ({ data }) => `Write one sentence to ${data.customer}: the order of one ${data.item} is confirmed.`,
    })
    .andThen({ id: 'confirm', execute: ({ data, input }) => ({ status: 'confirmed', item: input.item, letter: data }) });
}
