import { type Static, Type } from '@sinclair/typebox';
import { AgentInput } from './agent-input.ts';
import { ChatOptions } from './generation-options.ts';
import { Id } from './id.ts';
import type { UiMessage } from './ui-message.ts';
import { when } from './when.ts';

/** A generation request, or what the AI SDK's chat transport sends: there `messages` is the input and `id` the conversation. */
export const ChatRequest = Type.Object(
  {
    input: Type.Optional(AgentInput),
    // By name: an id may stand once in a document, and `input` has it.
    messages: Type.Optional(Type.Array(Type.Unsafe<UiMessage>(Type.Ref('UiMessage')), { minItems: 1 })),
    id: Type.Optional(Id),
    options: Type.Optional(ChatOptions),
  },
  // Only who sends `messages` need not send `input`: one sentence tells what is missing.
  { $id: 'ChatRequest', ...when({ required: ['messages'] }, {}, { required: ['input'] }) },
);
export type ChatRequest = Static<typeof ChatRequest>;
