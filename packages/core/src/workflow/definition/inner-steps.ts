import { ConfigurationError } from '@halyard/contracts';
import type { AnyStep, StepType } from './step.ts';

/** @throws ConfigurationError when there is none. */
export function innerSteps(type: StepType, id: string, steps: readonly AnyStep[]): readonly AnyStep[] {
  if (steps.length === 0) throw new ConfigurationError(`Step "${id}" (${type}) needs at least one step inside`);
  return [...steps];
}
