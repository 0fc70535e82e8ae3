import { ConfigurationError } from '@halyard/contracts';
import type { AnyStep, BodyOptions, StepOptions, StepType } from './step.ts';

/** The options that must be functions. */
const functions: Partial<Readonly<Record<StepType, string>>> = {
  andDoUntil: 'condition',
  andDoWhile: 'condition',
  andRun: 'run',
  andTap: 'execute',
  andThen: 'execute',
  andWhen: 'condition',
};

/**
 * @throws ConfigurationError for a step in place of its options, and for an option that must be a
 * function and is not.
 */
export function checkStepOptions(type: StepType, options: StepOptions & BodyOptions): void {
  const { id } = options;
  if (isStep(options))
    throw new ConfigurationError(
      `${type} needs the options of a step, not the step "${id}" itself: ${type}({ id: '${id}', … })`,
    );
  if (typeof id !== 'string' && !hasNoId(options))
    throw new ConfigurationError(`The id of a step (${type}) must be a text, not a ${typeof id}`);
  const step = describeStep(options, type);
  const name = functions[type];
  if (name !== undefined && typeof Object.entries(options).find(([key]) => key === name)?.[1] !== 'function')
    throw new ConfigurationError(`${step} needs the option \`${name}\`, a function`);
}

/**
 * Whether the id of a step is missing, which only code without a compiler can do. Its workflow
 * refuses it, and so can say where it is.
 */
export function hasNoId({ id }: { readonly id: string | null | undefined }): boolean {
  return id === undefined || id === null || id === '';
}

function describeStep(step: { readonly id: string }, type: StepType): string {
  return hasNoId(step) ? `A step without an id (${type})` : `Step "${step.id}" (${type})`;
}

/** @throws ConfigurationError when one of the steps inside another is not a step. */
export function checkInnerSteps(type: StepType, id: string, steps: readonly AnyStep[]): void {
  const step = describeStep({ id }, type);
  if (steps.length === 0) throw new ConfigurationError(`${step} needs at least one step inside`);
  if (!steps.every(isStep))
    throw new ConfigurationError(
      `${step} contains something that is not a step: create each with a function such as andThen({ … })`,
    );
}

function isStep(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && 'run' in value;
}
