import { Type } from '@sinclair/typebox';
import { expectTypeOf } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { andForEach } from './and-for-each.ts';
import { andThen } from './and-then.ts';

// The data is the list: inner steps know the type of an item at any depth.
createWorkflow({ id: 'list', input: Type.Array(Type.String()) })
  .andForEach({ id: 'each', step: andThen({ id: 'one', execute: ({ data }) => data.length }) })
  .andThen({ id: 'end', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<number[]>() });
createWorkflow({ id: 'table', input: Type.Array(Type.Array(Type.String())) })
  .andForEach({
    id: 'rows',
    step: andForEach({ id: 'cells', step: andThen({ id: 'cell', execute: ({ data }) => data.length }) }),
  })
  .andThen({ id: 'end', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<number[][]>() });

// `items` returns the list: its items must have the input type of the inner step.
createWorkflow({ id: 'object', input: Type.Object({ names: Type.Array(Type.String()) }) })
  .andForEach({
    id: 'each',
    items: ({ data }) => data.names,
    step: andThen({ id: 'one', execute: ({ data }: { readonly data: string }) => data.length }),
  })
  .andThen({ id: 'end', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<number[]>() });
createWorkflow({ id: 'wrong', input: Type.Object({ names: Type.Array(Type.String()) }) }).andForEach({
  id: 'each',
  // @ts-expect-error -- names are not numbers
  items: ({ data }) => data.names,
  step: andThen({ id: 'one', execute: ({ data }: { readonly data: number }) => data }),
});
createWorkflow({ id: 'unsaid', input: Type.Object({ names: Type.Array(Type.String()) }) }).andForEach({
  id: 'each',
  items: ({ data }) => data.names,
  step: andThen({ id: 'one', execute: ({ data }) => expectTypeOf(data).toBeUnknown() }),
});
createWorkflow({ id: 'wrong-list', input: Type.Array(Type.String()) }).andForEach({
  id: 'each',
  // @ts-expect-error -- strings are not numbers
  step: andThen({ id: 'one', execute: ({ data }: { readonly data: number }) => data }),
});
