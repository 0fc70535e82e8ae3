import { createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';

const hours = Number(process.env['APPROVAL_HOURS'] ?? 72);
const storage = createPostgresStorage({ dataDir: '.halyard' });

/** Stands for your payment service, which does the same only once for each key. */
const payments = {
  reserve: async (key: string, cents: number) => ({ reservation: `R-${key}`, cents }),
  release: async (reservation: string) => console.log('released', reservation),
  pay: async (key: string, reservation: string) => ({ payment: `P-${key}`, reservation }),
};

const refund = createWorkflow({
  id: 'refund',
  purpose: 'Pays an order back',
  input: Type.Object({ orderId: Type.String(), cents: Type.Integer({ minimum: 1 }) }),
  resumeSchema: Type.Object({ approved: Type.Boolean(), note: Type.Optional(Type.String()) }),
})
  .andThen({
    id: 'reserve',
    execute: async ({ data, idempotencyKey }) => payments.reserve(idempotencyKey, data.cents),
    compensate: ({ data }) => payments.release(data.reservation),
  })
  .andThen({
    id: 'approve',
    execute: ({ abort, data, resumeData, suspend }) => {
      if (resumeData === undefined)
        return suspend('A refund needs approval', { cents: data.cents }, { timeoutMs: hours * 3_600_000 });
      return resumeData.approved ? data : abort(resumeData.note ?? 'declined');
    },
  })
  .andThen({
    id: 'pay',
    retries: { attempts: 5, delayMs: 1_000 },
    execute: async ({ data, idempotencyKey }) => payments.pay(idempotencyKey, data.reservation),
  });

const server = await createServer({ workflows: [refund], storage });
await server.listen();
