import { type Static, Type } from '@sinclair/typebox';

/** An id of an agent, user, conversation and the like, in paths and bodies. */
export const Id = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,128}$' });
export type Id = Static<typeof Id>;

export const IdParams = Type.Object({ id: Id });
export type IdParams = Static<typeof IdParams>;
