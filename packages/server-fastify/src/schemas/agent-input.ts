import type { AgentInput as CoreInput } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { ModelMessage } from './model-message.ts';
import { UiMessage } from './ui-message.ts';
import { when } from './when.ts';

/** What has `parts` is meant as a UI message, so that only what is wrong with that is told. */
const Message = Type.Unsafe<UiMessage | ModelMessage>({
  type: 'object',
  ...when({ required: ['parts'] }, UiMessage, ModelMessage),
});

/** What an agent is asked: a text, UI messages (`{id?, role, parts}`) or model messages (`{role, content}`). */
export const AgentInput = Type.Unsafe<CoreInput>(
  Type.Union([Type.String(), Type.Array(Message, { minItems: 1 })], {
    $id: 'AgentInput',
    description:
      'A text, or messages: either all UI messages (`{id?, role, parts}`) or all model messages (`{role, content}`).',
  }),
);
export type AgentInput = CoreInput;
