import { type Agent, andThen, createWorkflow } from '@halyard/core';
import { type Static, Type } from '@sinclair/typebox';
import { OrderId } from './order-tools.ts';
import type { Shop } from './shop.ts';

/** Refunds of at least this amount need the approval of a person. */
const approvalFromEuros = 150;
const returnWithinDays = 30;

const Name = Type.String({ minLength: 1, maxLength: 100 });

/** The input of the workflow. */
export const RefundRequest = Type.Object({
  orderId: OrderId,
  customer: Name,
  reason: Type.String({ minLength: 3, maxLength: 300 }),
});
export type RefundRequest = Static<typeof RefundRequest>;

/** The data for the person who decides. */
const Question = Type.Object({
  orderId: Type.String(),
  customer: Type.String(),
  item: Type.String(),
  euros: Type.Number(),
  reason: Type.String(),
});

/** The answer of that person. */
const Decision = Type.Object({
  approved: Type.Boolean({ title: 'Pay the money back' }),
  by: Type.String({ minLength: 1, maxLength: 100, title: 'Your name' }),
  note: Type.Optional(Type.String({ maxLength: 300, title: 'Note for the customer' })),
});

const Outcome = Type.Union([
  Type.Object({ status: Type.Literal('paid'), euros: Type.Number(), payment: Type.String(), letter: Type.String() }),
  Type.Object({ status: Type.Literal('refused'), why: Type.String() }),
]);

/**
 * Pays the money for an order back. A large refund waits for a person, for as long as it takes. An
 * agent then writes to the customer.
 */
export function createRefund(shop: Shop, writer: Agent) {
  return createWorkflow({
    id: 'refund',
    // Customers ask the agents; the team may also start one by hand.
    access: 'operators',
    name: 'Refund',
    purpose: 'Checks a refund, asks a person about large ones, pays, and writes to the customer',
    input: RefundRequest,
    result: Outcome,
    suspendSchema: Question,
    resumeSchema: Decision,
  })
    .andAll({
      id: 'checks',
      name: 'Checks',
      steps: [
        andThen({
          id: 'order',
          name: 'Find the order',
          execute: async ({ data: { orderId } }) => (await shop.findOrder(orderId)) ?? null,
        }),
        andThen({
          id: 'claim',
          name: 'Read the claim',
          purpose: 'A broken item may be returned at any time',
          execute: ({ data: { reason } }) => ({
            isBroken: /\b(?:broke|broken|damaged|torn|leaks?|cracked)\b/iu.test(reason),
          }),
        }),
      ],
    })
    .andThen({
      id: 'rules',
      name: 'Apply the rules',
      purpose: `Unused items can be returned within ${returnWithinDays} days`,
      execute: ({ bail, data: [order, { isBroken }], input, logger }) => {
        if (order === null) return bail({ status: 'refused', why: `There is no order ${input.orderId}` });
        if (order.deliveredDaysAgo > returnWithinDays && !isBroken) {
          logger.info({ orderId: order.orderId, days: order.deliveredDaysAgo }, 'a refund was refused: too late');
          return bail({ status: 'refused', why: `It was delivered ${order.deliveredDaysAgo} days ago` });
        }
        return { orderId: order.orderId, item: order.item, euros: order.euros };
      },
    })
    .andWhen({
      id: 'large',
      name: 'If it is large',
      condition: ({ data }) => data.euros >= approvalFromEuros,
      step: andThen({
        id: 'approve',
        name: 'Approval',
        purpose: `A person decides about € ${approvalFromEuros} or more`,
        execute: ({ bail, data, input, logger, resumeData, resumedBy, state, suspend }) => {
          // With access control, users may answer what waits in their own executions. The team
          // answers in the console, as no user.
          const isOwnAnswer = resumedBy !== undefined && resumedBy === state.userId;
          if (resumeData === undefined || isOwnAnswer)
            return suspend(`${input.customer} asks for € ${data.euros} back: ${input.reason}`, {
              ...data,
              customer: input.customer,
              reason: input.reason,
            });
          const { approved, by, note = 'no note' } = resumeData;
          logger.info({ approved, by, orderId: input.orderId }, 'a person decided about a refund');
          return approved ? data : bail({ status: 'refused', why: `${by} declined: ${note}` });
        },
      }),
    })
    .andThen({
      id: 'pay',
      name: 'Pay the money back',
      // One payment for each order: also for a second refund, after the customer has deleted the
      // data of the first one.
      execute: async ({ data: { euros, orderId } }) => ({
        euros,
        payment: await shop.payBack(orderId, euros, `refund-${orderId}`),
      }),
    })
    .andAgent({
      id: 'letter',
      name: 'Write to the customer',
      agent: writer,
      prompt: ({ data: { euros, payment }, input }) =>
        `Write one sentence to ${input.customer}: € ${euros} for order ${input.orderId} were paid back as ${payment}.`,
    })
    .andMap({
      id: 'receipt',
      name: 'Receipt',
      map: {
        status: { value: 'paid' },
        euros: { from: 'step', stepId: 'pay', path: 'euros' },
        payment: { from: 'step', stepId: 'pay', path: 'payment' },
        letter: ({ data }) => data,
      },
    });
}
