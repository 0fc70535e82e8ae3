import { type AnyWorkflow, andThen, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';

const Claim = Type.Object({
  customer: Type.String({ minLength: 1 }),
  kind: Type.Unsafe<'refund' | 'repair'>({ type: 'string', enum: ['refund', 'repair'] }),
  cents: Type.Integer({ minimum: 1 }),
  note: Type.Optional(Type.String()),
});

/** Whether payments succeed. */
export interface Bank {
  isOpen: boolean;
}

/** Checks a claim, asks a person about large ones, and pays. */
export function createClaim(bank: Bank): AnyWorkflow {
  return createWorkflow({
    id: 'claim',
    name: 'Claim',
    purpose: 'Pays claims, large ones after approval',
    input: Claim,
    resumeSchema: Type.Object({ approved: Type.Boolean(), by: Type.String({ minLength: 1 }) }),
  })
    .andAll({
      id: 'checks',
      steps: [
        andThen({ id: 'customer', execute: ({ data }) => ({ name: data.customer }) }),
        andThen({ id: 'amount', execute: ({ data }) => ({ cents: data.cents, kind: data.kind }) }),
      ],
    })
    .andThen({ id: 'merge', execute: ({ data: [one, other] }) => ({ ...one, ...other }) })
    .andWhen({
      id: 'large',
      condition: ({ data }) => data.cents > 1_000,
      step: andThen({
        id: 'approve',
        execute: ({ data, resumeData, suspend }) => {
          if (resumeData === undefined) return suspend(`${data.name} claims ${data.cents}`, data);
          return data;
        },
      }),
    })
    .andThen({
      id: 'pay',
      execute: ({ data }) => {
        if (!bank.isOpen) throw new Error('the bank is closed');
        return { paid: data.cents };
      },
    }) as AnyWorkflow;
}
