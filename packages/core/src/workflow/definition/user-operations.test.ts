import { expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';

it('refuses unknown operations of users, which are permissions, and values that are no booleans', () => {
  expect(() => createWorkflow({ id: 'w', users: { delete: true } as never })).toThrow(/delete/);
  expect(() => createWorkflow({ id: 'w', users: { replay: 'yes' } as never })).toThrow(/must be true or false/);
});
