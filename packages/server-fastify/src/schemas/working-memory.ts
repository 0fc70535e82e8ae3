import type { JsonObject } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { memoryFields } from './memory-query.ts';

const Scope = Type.Unsafe<'conversation' | 'user'>({ type: 'string', enum: ['conversation', 'user'] });
const scope = Type.Optional(
  Type.Unsafe<'conversation' | 'user'>({ ...Scope, description: 'Default: as the memory is configured.' }),
);

export const WorkingMemoryQuery = Type.Object({ ...memoryFields, scope });
export type WorkingMemoryQuery = Static<typeof WorkingMemoryQuery>;

/** What agents noted down. */
export const WorkingMemory = Type.Object(
  {
    content: Type.Unsafe<unknown>({
      type: ['string', 'object', 'null'],
      additionalProperties: true,
      description: 'A text, or an object where the memory has a schema for it; null: nothing is stored yet.',
    }),
    scope: Scope,
    format: Type.Unsafe<'markdown' | 'json'>({ type: 'string', enum: ['markdown', 'json'] }),
    template: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'WorkingMemory' },
);
export type WorkingMemory = Static<typeof WorkingMemory>;

/** What is to be noted down. */
export const WorkingMemoryUpdate = Type.Object(
  {
    ...memoryFields,
    content: Type.Unsafe<string | JsonObject>({ type: ['string', 'object'], additionalProperties: true }),
    mode: Type.Optional(
      Type.Unsafe<'replace' | 'append'>({
        type: 'string',
        enum: ['replace', 'append'],
        description:
          'Default: `replace`. `append`: a text comes after a blank line; an object is merged in depth, its lists joined without repeats.',
      }),
    ),
    scope,
  },
  { $id: 'WorkingMemoryUpdate' },
);
export type WorkingMemoryUpdate = Static<typeof WorkingMemoryUpdate>;
