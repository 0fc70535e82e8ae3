import { type Static, Type } from '@sinclair/typebox';

/** An id of an agent, conversation, execution and the like, in paths and bodies. */
export const Id = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,128}$' });
export type Id = Static<typeof Id>;

/** Who a person is, in the words of an identity provider: `auth0|5f7c…` and e-mail addresses are among them. */
export const UserId = Type.String({ pattern: '^[A-Za-z0-9_.:|@+-]{1,128}$' });
export type UserId = Static<typeof UserId>;

export const IdParams = Type.Object({ id: Id });
export type IdParams = Static<typeof IdParams>;
