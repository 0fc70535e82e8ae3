import { type Static, Type } from '@sinclair/typebox';

/** What was deleted of a user. */
export const DeletedUser = Type.Object(
  {
    deleted: Type.Literal(true),
    conversations: Type.Integer(),
    messages: Type.Integer(),
    executions: Type.Integer({ description: 'Those that no other execution started.' }),
  },
  { $id: 'DeletedUser' },
);
export type DeletedUser = Static<typeof DeletedUser>;
