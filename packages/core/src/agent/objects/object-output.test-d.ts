import { Type } from '@sinclair/typebox';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../agent.ts';
import type { ObjectResult } from '../run-result.ts';
import type { ArrayEvent, ObjectEvent } from './object-stream.ts';

declare const agent: Agent;
const Weather = Type.Object({ city: Type.String() });
const Order = z.object({ at: z.string().transform(Number) });

// One object, a list, and one of several texts.
expectTypeOf(agent.generateObject('?', { schema: Weather })).resolves.toEqualTypeOf<ObjectResult<{ city: string }>>();
expectTypeOf(agent.generateObject('?', { output: 'object', schema: Order })).resolves.toEqualTypeOf<
  ObjectResult<{ at: number }>
>();
expectTypeOf(agent.generateObject('?', { output: 'array', element: Weather, maxItems: 3 })).resolves.toEqualTypeOf<
  ObjectResult<{ city: string }[]>
>();
expectTypeOf(agent.generateObject('?', { output: 'array', element: Order })).resolves.toEqualTypeOf<
  ObjectResult<{ at: number }[]>
>();
expectTypeOf(agent.generateObject('?', { output: 'choice', options: ['yes', 'no'] })).resolves.toEqualTypeOf<
  ObjectResult<'yes' | 'no'>
>();

// Their streams.
const array = agent.streamObject('?', { output: 'array', element: Weather });
expectTypeOf((await array)[Symbol.asyncIterator]).returns.toEqualTypeOf<
  AsyncIterator<ArrayEvent<{ city: string }>, unknown, unknown>
>();
expectTypeOf((await array).result).resolves.toEqualTypeOf<ObjectResult<{ city: string }[]>>();
const choice = agent.streamObject('?', { output: 'choice', options: ['yes', 'no'] });
expectTypeOf((await choice)[Symbol.asyncIterator]).returns.toEqualTypeOf<
  AsyncIterator<ObjectEvent<'yes' | 'no'>, unknown, unknown>
>();

// Options of another kind of output.
// @ts-expect-error -- `element` belongs to a list
void agent.generateObject('?', { element: Weather });
// @ts-expect-error -- a list has `element`
void agent.generateObject('?', { output: 'array', schema: Weather });
// @ts-expect-error -- a choice has `options`
void agent.generateObject('?', { output: 'choice', schema: Weather });
