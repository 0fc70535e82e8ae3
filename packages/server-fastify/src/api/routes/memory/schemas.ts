import type { JsonObject, MessagePart, MessageRole } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { Feedback } from '../agents/feedback-schemas.ts';
import { UiMessagePart } from '../agents/ui-message.ts';
import { ApprovalGrant } from '../approvals/schemas.ts';
import {
  anyNullableObject,
  anyObject,
  ExternalId,
  externalId,
  Id,
  nullableObject,
  taggedUnion,
  when,
} from '../common-schemas.ts';
import { LogRecord, Span } from '../observability/schemas.ts';

/** The fields that select a memory and a user, in the query or the body of every memory request. */
const memoryFields = {
  agentId: Type.Optional(
    Type.String({
      pattern: Id.pattern,
      description:
        'Use the memory of this agent. Default: the memory of the server, else that of the only agent with one.',
    }),
  ),
  userId: Type.Optional(
    externalId('Use the conversations of this user. Optional for a verified user, who cannot name another user.'),
  ),
};

export const MemoryQuery = Type.Object(memoryFields);
export type MemoryQuery = Static<typeof MemoryQuery>;

/** The metadata of a request. */
const SentMetadata = Type.Unsafe<JsonObject | null>(
  anyNullableObject({ description: 'Any JSON, stored with the conversation.' }),
);

/** A conversation of a user with an agent, without its messages. */
export const Conversation = Type.Object(
  {
    id: Type.String(),
    resourceId: Type.String({ description: 'The id of the agent, or another id chosen by the app.' }),
    userId: Type.String(),
    title: Type.String({ description: 'Empty without a title.' }),
    metadata: anyObject({ description: 'As it was sent.' }),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({
      format: 'date-time',
      description: 'The time of the last change or message.',
    }),
  },
  { $id: 'Conversation' },
);
export type Conversation = Static<typeof Conversation>;

/** The path parameters of a conversation. */
export const ConversationParams = Type.Object({ conversationId: Id });
export type ConversationParams = Static<typeof ConversationParams>;

/** Filter and order of the list of conversations. */
export const ConversationQuery = Type.Object({
  ...memoryFields,
  resourceId: Type.Optional(externalId('Default: the `agentId` of the query, else any.')),
  orderBy: Type.Unsafe<'created_at' | 'updated_at' | 'title'>({
    type: 'string',
    enum: ['created_at', 'updated_at', 'title'],
    default: 'updated_at',
  }),
  orderDirection: Type.String({
    pattern: '^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$',
    default: 'DESC',
    description: '`ASC` or `DESC`, in any case.',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
});
export type ConversationQuery = Static<typeof ConversationQuery>;

/** A request to create a conversation. */
export const NewConversation = Type.Object(
  {
    ...memoryFields,
    conversationId: Type.Optional(Type.String({ pattern: Id.pattern, description: 'Default: a new id.' })),
    resourceId: Type.Optional(externalId('Default: the id of the agent, else `default`.')),
    title: Type.Optional(
      Type.String({ description: 'Default: empty. An agent that creates titles adds one after the first turn.' }),
    ),
    metadata: Type.Optional(SentMetadata),
  },
  { $id: 'NewConversation' },
);
export type NewConversation = Static<typeof NewConversation>;

/** A change of a conversation. At least one of title and metadata is required. */
export const ConversationChange = Type.Object(
  {
    ...memoryFields,
    title: Type.Optional(Type.String()),
    metadata: Type.Optional(
      Type.Unsafe<JsonObject | null>(anyNullableObject({ description: 'Replaces the metadata as a whole.' })),
    ),
  },
  { $id: 'ConversationChange' },
);
export type ConversationChange = Static<typeof ConversationChange>;

/** A request to copy a conversation. */
export const ConversationClone = nullableObject(
  {
    ...memoryFields,
    newConversationId: Type.Optional(Type.String({ pattern: Id.pattern, description: 'Default: a new id.' })),
    title: Type.Optional(Type.String({ description: 'Default: the title of the original.' })),
    includeMessages: Type.Optional(Type.Boolean({ description: 'Default: true.' })),
  },
  { $id: 'ConversationClone' },
);
export type ConversationClone = Static<typeof ConversationClone>;

const StoredRole = Type.Unsafe<MessageRole>({ type: 'string', enum: ['user', 'assistant', 'system', 'tool'] });

/** A stored message: a UI message of the AI SDK with the time when it was stored. */
export const StoredMessage = Type.Object(
  {
    id: Type.String(),
    role: StoredRole,
    // Not the type of UiMessagePart, which is too deep for the compiler.
    parts: Type.Unsafe<readonly unknown[]>(Type.Array(UiMessagePart)),
    metadata: Type.Optional(Type.Unknown({ description: 'Any JSON, as it was sent.' })),
    createdAt: Type.String({ format: 'date-time' }),
    feedback: Type.Optional(Feedback),
  },
  { $id: 'StoredMessage' },
);
export type StoredMessage = Static<typeof StoredMessage>;

/**
 * Filters of the messages of a conversation. The newest matching ones are returned, oldest first.
 */
export const ListMessagesQuery = Type.Object({
  ...memoryFields,
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  before: Type.Optional(
    Type.String({ format: 'date-time', description: 'Written before: an ISO 8601 timestamp, UTC without an offset.' }),
  ),
  after: Type.Optional(
    Type.String({ format: 'date-time', description: 'Written after: an ISO 8601 timestamp, UTC without an offset.' }),
  ),
  roles: Type.Optional(
    Type.String({
      pattern: '^(user|assistant|system|tool)(,(user|assistant|system|tool))*$',
      description: 'A comma-separated list of `user`, `assistant`, `system`, `tool`. Default: all.',
    }),
  ),
  includeInactive: Type.Optional(
    Type.Boolean({
      description:
        'Whether the page also has messages that a branch of the conversation has left out. They begin with a part `{ "type": "custom", "kind": "halyard.inactive" }`. Default: false.',
    }),
  ),
  includeFeedback: Type.Optional(
    Type.Boolean({ description: 'Whether replies have the rating that the caller gave them. Default: false.' }),
  ),
});
export type ListMessagesQuery = Static<typeof ListMessagesQuery>;

/** A message to store, with either `parts` or `content`. */
export interface MessageToSave {
  readonly id?: string;
  readonly role: MessageRole;
  readonly parts?: MessagePart[];
  readonly content?: string | MessagePart[];
  readonly metadata?: unknown;
}

/** The user and conversation of one message. Default: those of the body. */
export interface MessagePlace {
  readonly userId?: string;
  readonly conversationId?: string;
}

export type SavedEntry = MessagePlace & (MessageToSave | { readonly message: MessageToSave });

const place = { userId: Type.Optional(ExternalId), conversationId: Type.Optional(Id) };
const parts = Type.Array(Type.Unsafe<MessagePart>(UiMessagePart));
// By reference: the schema of a part is large and is compiled once.
const partsByName = Type.Array(Type.Unsafe<MessagePart>(Type.Ref('UiMessagePart')));

function messageFields(ofParts: typeof parts) {
  return {
    id: Type.Optional(Type.String({ pattern: Id.pattern, description: 'Default: a new id.' })),
    role: StoredRole,
    metadata: Type.Optional(Type.Unknown()),
    parts: Type.Optional(ofParts),
    content: Type.Optional(
      Type.Unsafe<string | MessagePart[]>({
        type: ['string', 'array'],
        items: partsByName.items,
        description: 'Alternative to `parts`. A string becomes a text part.',
      }),
    ),
  };
}

/** `content` is required unless `parts` is sent. A condition, so that one error is reported. */
const partsOrContent = when({ required: ['parts'] }, {}, { required: ['content'] });

const Wrapped = Type.Object({ ...place, message: Type.Object(messageFields(parts), partsOrContent) });
const Flat = Type.Object({ ...place, ...messageFields(partsByName) }, partsOrContent);
const Entry = Type.Unsafe<SavedEntry>({ type: 'object', ...when({ required: ['message'] }, Wrapped, Flat) });

/**
 * A request to store messages. The user and conversation of each message are in its entry or in the
 * body.
 */
export const SaveMessagesRequest = Type.Object(
  {
    ...memoryFields,
    conversationId: Type.Optional(Id),
    messages: Type.Array(Entry, { minItems: 1 }),
  },
  { $id: 'SaveMessagesRequest' },
);
export type SaveMessagesRequest = Static<typeof SaveMessagesRequest>;

/** A request to delete messages of one conversation. */
export const DeleteMessagesRequest = Type.Object(
  { ...memoryFields, conversationId: Id, messageIds: Type.Array(Id, { minItems: 1 }) },
  { $id: 'DeleteMessagesRequest' },
);
export type DeleteMessagesRequest = Static<typeof DeleteMessagesRequest>;

const Scope = Type.Unsafe<'conversation' | 'user'>({ type: 'string', enum: ['conversation', 'user'] });
const scope = Type.Optional(
  Type.Unsafe<'conversation' | 'user'>({ ...Scope, description: 'Default: the scope of the memory.' }),
);

export const WorkingMemoryQuery = Type.Object({ ...memoryFields, scope });
export type WorkingMemoryQuery = Static<typeof WorkingMemoryQuery>;

/** The working memory of a conversation or a user. */
export const WorkingMemory = Type.Object(
  {
    content: Type.Unsafe<unknown>({
      type: ['string', 'object', 'null'],
      additionalProperties: true,
      description: 'A string, or an object if the memory has a schema for it; null if nothing is stored.',
    }),
    scope: Scope,
    format: Type.Unsafe<'markdown' | 'json'>({ type: 'string', enum: ['markdown', 'json'] }),
    template: Type.Union([Type.String(), Type.Null()]),
    schema: anyNullableObject({ description: 'The JSON Schema of the content; null for a text.' }),
  },
  { $id: 'WorkingMemory' },
);
export type WorkingMemory = Static<typeof WorkingMemory>;

/** A request to change the working memory. */
export const WorkingMemoryUpdate = Type.Object(
  {
    ...memoryFields,
    content: Type.Unsafe<string | JsonObject>({ type: ['string', 'object'], additionalProperties: true }),
    mode: Type.Optional(
      Type.Unsafe<'replace' | 'append'>({
        type: 'string',
        enum: ['replace', 'append'],
        description:
          'Default: `replace`. `append`: a string is added after a blank line; an object is merged deeply, and its arrays are concatenated without duplicates.',
      }),
    ),
    scope,
    expected: Type.Optional(
      Type.Unsafe<string | JsonObject | null>({
        type: ['string', 'object', 'null'],
        additionalProperties: true,
        description:
          'The content that the client has read. Refused with 409 (`WORKING_MEMORY_CHANGED`) if it has changed since. Default: written in any case.',
      }),
    ),
  },
  { $id: 'WorkingMemoryUpdate' },
);
export type WorkingMemoryUpdate = Static<typeof WorkingMemoryUpdate>;

export const MemorySearchQuery = Type.Object({
  ...memoryFields,
  searchQuery: Type.String({ minLength: 1, description: 'The text to search for.' }),
  conversationId: Type.Optional(Id),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  threshold: Type.Number({ minimum: 0, maximum: 1, default: 0, description: 'Minimum score.' }),
});
export type MemorySearchQuery = Static<typeof MemorySearchQuery>;

/** Messages found by meaning, the best match first. */
export const MemorySearchResult = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        messageId: Type.String(),
        conversationId: Type.String(),
        role: StoredRole,
        text: Type.String(),
        score: Type.Number({ minimum: 0, maximum: 1, description: 'Cosine similarity.' }),
        createdAt: Type.String({ format: 'date-time' }),
      }),
    ),
    count: Type.Integer(),
    query: Type.String(),
  },
  { $id: 'MemorySearchResult' },
);
export type MemorySearchResult = Static<typeof MemorySearchResult>;

/** The numbers of deleted items of a user. */
export const DeletedUser = Type.Object(
  {
    deleted: Type.Literal(true),
    conversations: Type.Integer(),
    messages: Type.Integer(),
    executions: Type.Integer({ description: 'Without executions of sub-workflows.' }),
  },
  { $id: 'DeletedUser' },
);
export type DeletedUser = Static<typeof DeletedUser>;

/** One record of the data of a user. Each message follows its conversation. */
export const UserRecord = Type.Unsafe<Readonly<Record<string, unknown>> & { readonly type: string }>({
  ...taggedUnion('type', {
    conversation: Type.Object({
      type: Type.Literal('conversation'),
      conversation: Conversation,
      workingMemory: Type.Optional(Type.Unknown({ description: 'Its working memory, if it has one.' })),
    }),
    message: Type.Object({
      type: Type.Literal('message'),
      conversationId: Type.String(),
      message: StoredMessage,
    }),
    'working-memory': Type.Object({
      type: Type.Literal('working-memory'),
      content: Type.Unknown({ description: 'The working memory of the user, in all conversations.' }),
    }),
    execution: Type.Object({
      type: Type.Literal('execution'),
      execution: anyObject({ description: 'An execution or one of its sub-workflows, as `GET …/state` returns it.' }),
      events: Type.Array(anyObject({ description: 'An event of the execution, as its stream sends it.' })),
    }),
    'approval-grant': Type.Object({
      type: Type.Literal('approval-grant'),
      grant: ApprovalGrant,
    }),
    span: Type.Object({ type: Type.Literal('span'), span: Span }),
    log: Type.Object({ type: Type.Literal('log'), log: LogRecord }),
    error: Type.Object({
      type: Type.Literal('error'),
      error: Type.String({ description: 'The export could not be completed.' }),
    }),
  }),
  $id: 'UserRecord',
});
export type UserRecord = Static<typeof UserRecord>;
