import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelMessage, UIMessage } from 'ai';

export type { ModelMessage, UIMessage, UIMessageChunk } from 'ai';

/** A model of any AI SDK provider package, interface version 2 to 4. */
export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/**
 * What an agent can be asked: a text, UI messages (`{ id?, role, parts }`, what `useChat` holds) or model messages (`{ role, content }`).
 * An empty list is refused. Messages of role `system` are lifted into the instructions.
 */
export type AgentInput = string | readonly InputUIMessage[] | readonly ModelMessage[];

/** A UI message as a client may send it: without an id, if it likes. */
export type InputUIMessage = Omit<UIMessage, 'id'> & { readonly id?: string };
