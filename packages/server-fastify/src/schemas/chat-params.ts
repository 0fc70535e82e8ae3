import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';

/** A conversation with an agent, as paths name it. */
export const ChatParams = Type.Object({ id: Id, conversationId: Id });
export type ChatParams = Static<typeof ChatParams>;
