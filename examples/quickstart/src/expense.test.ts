import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { expect, it } from 'vitest';
import { createExpense } from './expense.ts';

const assistant = new Agent({ id: 'assistant', model: scriptedModel('Written down.') });
const claim = { employee: 'Ada', purpose: 'Train to Oslo', euros: 240 };

it('pays a small claim at once, and every claim once', async () => {
  const expense = createExpense(assistant);
  const [first, second] = await Promise.all([
    expense.run({ ...claim, euros: 99.99 }),
    expense.run({ ...claim, euros: 1 }),
  ]);
  expect(first).toMatchObject({
    status: 'completed',
    result: { status: 'paid', payment: expect.stringMatching(/^P-\w{8}$/) },
  });
  expect(second.result).not.toEqual(first.result);
});

it('waits for a second person, who is not the employee', async () => {
  const expense = createExpense(assistant);
  const waiting = await expense.run(claim);
  expect(waiting).toMatchObject({ status: 'suspended', suspension: { reason: 'Ada claims € 240.00: Train to Oslo' } });

  const own = await expense.resume(waiting.executionId, { resumeData: { approved: true, by: 'Ada' } });
  expect(own).toMatchObject({ status: 'suspended', suspension: { reason: 'Ada cannot decide about their own claim' } });

  // The step asks a second time, so the answer names the question.
  const suspensionId = own.suspension?.suspensionId;
  const paid = await expense.resume(own.executionId, { suspensionId, resumeData: { approved: true, by: 'Grace' } });
  expect(paid).toMatchObject({ status: 'completed', result: { status: 'paid' } });
});

it('ends with the reason if a person denies', async () => {
  const expense = createExpense(assistant);
  const { executionId } = await expense.run(claim);
  const denied = await expense.resume(executionId, { resumeData: { approved: false, by: 'Grace', reason: 'By bus' } });
  expect(denied.result).toEqual({ status: 'denied', by: 'Grace', reason: 'By bus' });
});
