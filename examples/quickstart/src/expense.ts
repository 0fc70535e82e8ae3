import { createHash } from 'node:crypto';
import { type Agent, andThen, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** Claims of at least this amount need the approval of a second person. */
const approvalFromEuros = 100;
const bankTakesMs = 2_000;

const Name = Type.String({ minLength: 1, maxLength: 100 });

/** The input of the workflow. */
const Claim = Type.Object({
  employee: Name,
  purpose: Type.String({ minLength: 1, maxLength: 200 }),
  euros: Type.Number({ exclusiveMinimum: 0, maximum: 100_000 }),
});

/** The answer of the person who approves or denies. */
const Decision = Type.Object({ approved: Type.Boolean(), by: Name, reason: Type.Optional(Type.String()) });

const Outcome = Type.Union([
  Type.Object({ status: Type.Literal('paid'), payment: Type.String() }),
  Type.Object({ status: Type.Literal('denied'), by: Name, reason: Type.String() }),
]);

/**
 * Pays an expense claim. A large claim waits for a second person, for as long as it takes: the
 * execution is stored in the database, and continues after a restart.
 */
export function createExpense(assistant: Agent) {
  return createWorkflow({
    id: 'expense',
    name: 'Expense claim',
    purpose: 'Pays an expense, large ones after a second person has approved them',
    input: Claim,
    result: Outcome,
    suspendSchema: Claim,
    resumeSchema: Decision,
  })
    .andThen({
      id: 'check',
      name: 'Check the claim',
      purpose: `Claims of € ${approvalFromEuros} or more need approval`,
      execute: ({ data }) => ({ ...data, isLarge: data.euros >= approvalFromEuros }),
    })
    .andWhen({
      id: 'large',
      name: 'If the claim is large',
      condition: ({ data }) => data.isLarge,
      step: andThen({
        id: 'approve',
        name: 'Approval',
        purpose: 'Waits until a second person approves or denies',
        execute: ({ bail, data, resumeData, suspend }) => {
          const { employee, euros, purpose } = data;
          if (resumeData === undefined)
            return suspend(`${employee} claims € ${euros.toFixed(2)}: ${purpose}`, { employee, purpose, euros });
          const { approved, by, reason = 'no reason given' } = resumeData;
          if (by === employee)
            return suspend(`${by} cannot decide about their own claim`, { employee, purpose, euros });
          return approved ? data : bail({ status: 'denied', by, reason });
        },
      }),
    })
    .andThen({
      id: 'pay',
      name: 'Payment',
      purpose: 'Orders the transfer',
      // The key is the same each time that this step runs for this claim, so nobody is paid twice.
      execute: ({ idempotencyKey }) => `P-${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 8)}`,
    })
    .andSleep({ id: 'bank', name: 'Bank', purpose: 'Sleeps until the transfer has arrived', durationMs: bankTakesMs })
    .andAgent({
      id: 'record',
      name: 'Note',
      purpose: 'The assistant writes it down. Ask for your notes in the chat',
      agent: assistant,
      prompt: ({ input }) => `Note: € ${input.euros.toFixed(2)} paid to ${input.employee} for ${input.purpose}`,
    })
    .andMap({
      id: 'receipt',
      name: 'Receipt',
      map: { status: { value: 'paid' }, payment: { from: 'step', stepId: 'pay' } },
    });
}
