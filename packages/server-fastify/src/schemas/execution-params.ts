import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';

/** An execution as paths name it: under its workflow. */
export const ExecutionParams = Type.Object({ id: Id, executionId: Id });
export type ExecutionParams = Static<typeof ExecutionParams>;
