import { checkOptionNames, ConfigurationError } from '@halyard/contracts';
import { stepOptionNames, stepRetryNames } from './step-option-names.ts';
import type { BodyOptions, StepOptions, StepType } from './step.ts';

/** @throws ConfigurationError for a step in place of its options, and for an unknown option. */
export function checkStepOptions(type: StepType, options: StepOptions & BodyOptions): void {
  const { id, retries = {} } = options;
  if ('type' in options && 'run' in options)
    throw new ConfigurationError(
      `${type} needs the options of a step, not the step "${id}" itself: ${type}({ id: '${id}', … })`,
    );
  checkOptionNames(`Step "${id}" (${type})`, options, stepOptionNames[type]);
  checkOptionNames(`\`retries\` of step "${id}"`, retries, stepRetryNames);
}
