import { type Static, Type } from '@sinclair/typebox';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';
import type { InferSchema, InferSchemaInput, JsonSchema, Schema } from './schema.ts';

const Weather = Type.Object({ city: Type.String(), days: Type.Optional(Type.Integer()) });
const Order = z.object({ at: z.string().default('now').transform(Number) });
const plain = { type: 'object', properties: { city: { type: 'string' } } } as const;
declare const elsewhere: {
  '~standard': StandardSchemaV1.Props<string, number> & StandardJSONSchemaV1.Props<string, number>;
};

// Values that are schemas.
expectTypeOf(Weather).toExtend<Schema>();
expectTypeOf(Order).toExtend<Schema>();
expectTypeOf(plain).toExtend<Schema>();
expectTypeOf(elsewhere).toExtend<Schema>();
expectTypeOf(v.object({ a: v.string() })).not.toExtend<Schema>();
expectTypeOf<string>().not.toExtend<Schema>();
expectTypeOf<null>().not.toExtend<Schema>();

// Output and input types of validation.
expectTypeOf<InferSchema<typeof Weather>>().toEqualTypeOf<Static<typeof Weather>>();
expectTypeOf<InferSchemaInput<typeof Weather>>().toEqualTypeOf<{ city: string; days?: number }>();
expectTypeOf<InferSchema<typeof Order>>().toEqualTypeOf<{ at: number }>();
expectTypeOf<InferSchemaInput<typeof Order>>().toEqualTypeOf<{ at?: string | undefined }>();
expectTypeOf<InferSchema<typeof elsewhere>>().toEqualTypeOf<number>();
expectTypeOf<InferSchemaInput<typeof elsewhere>>().toEqualTypeOf<string>();
expectTypeOf<InferSchema<typeof plain>>().toEqualTypeOf<unknown>();
expectTypeOf<InferSchema<JsonSchema>>().toEqualTypeOf<unknown>();
expectTypeOf<InferSchema<Schema>>().toEqualTypeOf<unknown>();

expectTypeOf(compileSchema(Weather, 'a test')).toEqualTypeOf<CompiledSchema<{ city: string; days?: number }>>();
expectTypeOf(compileSchema(Order, 'a test')).toEqualTypeOf<CompiledSchema<{ at: number }>>();
expectTypeOf(compileSchema(plain, 'a test')).toEqualTypeOf<CompiledSchema<unknown>>();
