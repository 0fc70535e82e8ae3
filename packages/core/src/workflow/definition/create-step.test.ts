import { expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { andSleep } from '../steps/and-sleep.ts';
import { andThen } from '../steps/and-then.ts';
import { andWorkflow } from '../steps/and-workflow.ts';

it.each([
  [
    () => andThen({ id: 'price', execute: () => 1, timeout: 5 } as never),
    'Step "price" (andThen) has no option "timeout". Did you mean "timeoutMs"?',
  ],
  [
    () => andSleep({ id: 'wait', durationMs: 5, duration: 5 } as never),
    'Step "wait" (andSleep) has no option "duration". Did you mean "durationMs"?',
  ],
  [
    () => andWorkflow({ id: 'child', workflow: createWorkflow({ id: 'w' }), inputs: () => 1 } as never),
    'Step "child" (andWorkflow) has no option "inputs". Did you mean "input"?',
  ],
])('refuses an unknown option, and names the nearest one: %#', (make, message) => {
  expect(make).toThrow(message);
});
