import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { andThen, createWorkflow, type Step } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** The sub-workflow of an order: the first carrier that answers gets the parcel. */
export const shipping = createWorkflow({
  id: 'shipping',
  // Only as a step of an order.
  access: 'server',
  name: 'Shipping',
  purpose: 'Hands a parcel to the first carrier that answers',
  input: Type.Object({ customer: Type.String(), city: Type.String() }),
  result: Type.Object({ carrier: Type.String(), parcel: Type.String() }),
})
  .andRace({ id: 'carriers', steps: [carrier('Northwind', 40), carrier('Slowboat', 5_000)] })
  .andThen({
    id: 'label',
    // The key is the same for each repetition of this step, so a parcel never gets two numbers.
    execute: ({ data, idempotencyKey }) => ({ carrier: data.carrier, parcel: parcelNumber(idempotencyKey) }),
  });

/** Simulates a call to a carrier. The signal of the slower one is aborted. */
function carrier(name: string, answersInMs: number): Step<unknown, { carrier: string }> {
  return andThen({
    id: name,
    purpose: `Asks ${name}`,
    execute: async ({ signal }) => {
      await delay(answersInMs, undefined, { signal });
      return { carrier: name };
    },
  });
}

function parcelNumber(key: string): string {
  return `P-${createHash('sha256').update(key).digest('hex').slice(0, 6).toUpperCase()}`;
}
