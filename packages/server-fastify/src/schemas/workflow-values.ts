import { type TUnknown, Type } from '@sinclair/typebox';

/** Data of workflows. Each has schemas of its own, so that here they are any JSON. */
export const WorkflowInput: TUnknown = Type.Unknown({ description: 'What it was started with, JSON of any kind.' });

export const WorkflowOutput: TUnknown = Type.Unknown({ description: 'What it came to, JSON of any kind.' });
