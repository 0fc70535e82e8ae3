import { type Agent, type AnyWorkflow, andThen, createWorkflow } from '@halyard/core';
import { Approval, ApprovalRequest, Order, Receipt } from './schemas.ts';
import { shipping } from './shipping.ts';
import { approvalFromCents, inEuros, shop } from './shop.ts';

/**
 * Checks stock and price in parallel, requires approval for large orders, ships the order, and lets
 * an agent write to the customer.
 *
 * Steps report their results to clients in custom events (`custom-note`).
 */
export function createOrder(clerk: Agent): AnyWorkflow<Order> {
  return createWorkflow({
    id: 'order',
    name: 'Order',
    purpose: 'Takes an order, requires approval for large ones, ships it and writes to the customer',
    input: Order,
    result: Receipt,
    suspendSchema: ApprovalRequest,
    resumeSchema: Approval,
  })
    .andAll({
      id: 'checks',
      steps: [
        andThen({
          id: 'stock',
          execute: ({ data, writer }) => {
            const missing = data.lines
              .filter(({ sku, quantity }) => quantity > (shop.get(sku)?.stock ?? 0))
              .map(({ sku }) => nameOf(sku));
            writer.write({
              type: 'custom-note',
              text: missing.length === 0 ? 'everything is in stock' : `not in stock: ${missing.join(', ')}`,
            });
            return missing;
          },
        }),
        andThen({
          id: 'price',
          execute: ({ data, writer }) => {
            const cents = data.lines.reduce(
              (sum, { sku, quantity }) => sum + quantity * (shop.get(sku)?.cents ?? 0),
              0,
            );
            writer.write({ type: 'custom-note', text: `the total is ${inEuros(cents)}` });
            return cents;
          },
        }),
      ],
    })
    .andThen({
      id: 'quote',
      execute: ({ bail, data: [missing, cents], input }) =>
        missing.length > 0 ? bail({ status: 'out-of-stock', missing }) : { ...input, cents },
    })
    .andWhen({
      id: 'large',
      condition: ({ data }) => data.cents >= approvalFromCents,
      step: andThen({
        id: 'approve',
        purpose: 'Waits for a person to approve or decline',
        execute: ({ bail, data, logger, resumeData, resumedBy, state, suspend, writer }) => {
          const { cents, customer } = data;
          // With access control, users may answer what waits in their own executions.
          const isOwnAnswer = resumedBy !== undefined && resumedBy === state.userId;
          if (resumeData === undefined || isOwnAnswer)
            return suspend(`${inEuros(cents)} needs approval`, { customer, cents });
          const { approved, by, reason = 'no reason given' } = resumeData;
          logger.info({ approved, by }, 'a person approved or declined a large order');
          writer.write({
            type: 'custom-note',
            text: approved ? `${by} has approved` : `${by} has declined: ${reason}`,
          });
          return approved ? data : bail({ status: 'declined', by, reason });
        },
      }),
    })
    .andWorkflow({ id: 'ship', workflow: shipping, input: ({ data: { city, customer } }) => ({ city, customer }) })
    .andTap({
      id: 'parcel',
      execute: ({ data, writer }) =>
        writer.write({ type: 'custom-note', text: `${data.carrier} ships it as ${data.parcel}` }),
    })
    .andAgent({
      id: 'thank',
      agent: clerk,
      prompt: ({ data, input }) => `Thank ${input.customer}. On which day does parcel ${data.parcel} arrive?`,
    })
    .andMap({
      id: 'receipt',
      map: {
        status: { value: 'shipped' },
        cents: { from: 'step', stepId: 'quote', path: 'cents' },
        carrier: { from: 'step', stepId: 'ship', path: 'carrier' },
        parcel: { from: 'step', stepId: 'ship', path: 'parcel' },
        message: ({ data }) => data,
      },
    });
}

function nameOf(sku: string): string {
  return shop.get(sku)?.name ?? sku;
}
