import { type Static, Type } from '@sinclair/typebox';
import { nullableObject } from './nullable-object.ts';

/** Why an execution is stopped from outside: suspended or cancelled. */
export const StopRequest = nullableObject({ reason: Type.Optional(Type.String()) }, { $id: 'StopRequest' });
export type StopRequest = Static<typeof StopRequest>;
