import { type Static, Type } from '@sinclair/typebox';
import { Usage } from './usage.ts';

/** One event of `POST /agents/:id/stream-object`: the object as far as it is written, then the whole one. */
export const ObjectEvent = Type.Union(
  [
    Type.Object({
      type: Type.Literal('partial'),
      object: Type.Unknown({ description: 'An object, as far as it is written; not yet validated.' }),
    }),
    Type.Object({
      type: Type.Literal('object'),
      object: Type.Unknown({ description: 'The object, which fits the schema.' }),
      usage: Usage,
    }),
    Type.Object({ type: Type.Literal('error'), error: Type.String() }),
  ],
  { $id: 'ObjectEvent' },
);
export type ObjectEvent = Static<typeof ObjectEvent>;
