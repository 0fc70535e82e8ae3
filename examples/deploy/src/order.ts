import { setTimeout as delay } from 'node:timers/promises';
import { createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';

const approvalFromCents = 100_000;
const carrierMs = 1_000;

/** Takes an order. A large one waits for an operator. */
export const order = createWorkflow({
  id: 'order',
  name: 'Order',
  purpose: 'Takes an order',
  input: Type.Object({ product: Type.String({ maxLength: 100 }), cents: Type.Integer({ minimum: 1 }) }),
  result: Type.Object({ product: Type.String(), parcel: Type.String() }),
  resumeSchema: Type.Object({ by: Type.String() }),
})
  .andThen({
    id: 'approve',
    execute: ({ data, resumeData, resumedBy, state, suspend }) => {
      if (data.cents < approvalFromCents) return data;
      // Users may answer what waits in their own executions. Operators answer with the console key,
      // as no user.
      const isOwnAnswer = resumedBy !== undefined && resumedBy === state.userId;
      return resumeData === undefined || isOwnAnswer ? suspend('needs approval') : data;
    },
  })
  .andThen({
    id: 'ship',
    execute: async ({ data, idempotencyKey, logger, signal }) => {
      // In place of a carrier's API. The key is the same for each repetition of this step, so that
      // nothing is shipped twice.
      await delay(carrierMs, undefined, { signal });
      logger.info({ parcel: idempotencyKey }, 'the parcel was handed over');
      return { product: data.product, parcel: idempotencyKey };
    },
  });
