import type { MessagePart, MessageRole } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';
import { memoryFields } from './memory-query.ts';
import { StoredRole } from './stored-message.ts';
import { UiMessagePart } from './ui-message.ts';
import { when } from './when.ts';

/** A message that is to be stored: `parts`, or `content`. */
export interface MessageToSave {
  readonly id?: string;
  readonly role: MessageRole;
  readonly parts?: MessagePart[];
  readonly content?: string | MessagePart[];
  readonly metadata?: unknown;
}

/** Where it is to be stored, if not where the body says. */
export interface MessagePlace {
  readonly userId?: string;
  readonly conversationId?: string;
}

export type SavedEntry = MessagePlace & (MessageToSave | { readonly message: MessageToSave });

const place = { userId: Type.Optional(Id), conversationId: Type.Optional(Id) };
const parts = Type.Array(Type.Unsafe<MessagePart>(UiMessagePart));
// By name: the schema of a part is large, and compiled once for all places where it stands.
const partsByName = Type.Array(Type.Unsafe<MessagePart>(Type.Ref('UiMessagePart')));

function messageFields(ofParts: typeof parts) {
  return {
    id: Type.Optional(Type.String({ pattern: Id.pattern, description: 'Default: an id is made.' })),
    role: StoredRole,
    metadata: Type.Optional(Type.Unknown()),
    parts: Type.Optional(ofParts),
    content: Type.Optional(
      Type.Unsafe<string | MessagePart[]>({
        type: ['string', 'array'],
        items: partsByName.items,
        description: 'In place of `parts`. A text becomes a text part.',
      }),
    ),
  };
}

/** One of them: one sentence tells what is missing. */
const partsOrContent = when({ required: ['parts'] }, {}, { required: ['content'] });

const Wrapped = Type.Object({ ...place, message: Type.Object(messageFields(parts), partsOrContent) });
const Flat = Type.Object({ ...place, ...messageFields(partsByName) }, partsOrContent);
const Entry = Type.Unsafe<SavedEntry>({ type: 'object', ...when({ required: ['message'] }, Wrapped, Flat) });

/** Messages that are to be stored, each with its user and conversation in its entry or in the body. */
export const SaveMessagesRequest = Type.Object(
  {
    ...memoryFields,
    conversationId: Type.Optional(Id),
    messages: Type.Array(Entry, { minItems: 1 }),
  },
  { $id: 'SaveMessagesRequest' },
);
export type SaveMessagesRequest = Static<typeof SaveMessagesRequest>;
