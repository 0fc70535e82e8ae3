import type { Attributes } from '@halyard/contracts';

export function stepAttributes(step: {
  readonly id: string;
  readonly type: string;
  readonly executionId: string;
}): Attributes {
  return {
    'halyard.step.id': step.id,
    'halyard.step.type': step.type,
    'halyard.execution.id': step.executionId,
  };
}

export function stepEndAttributes(attempts: number, outcome: string): Attributes {
  return { 'halyard.step.attempts': attempts, 'halyard.step.outcome': outcome };
}
