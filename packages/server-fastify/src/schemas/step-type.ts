import { type StepType as AnyStepType, stepTypes } from '@halyard/core';
import { type Static, Type } from '@sinclair/typebox';

export const StepType = Type.Unsafe<AnyStepType>({ $id: 'StepType', type: 'string', enum: [...stepTypes] });
export type StepType = Static<typeof StepType>;
