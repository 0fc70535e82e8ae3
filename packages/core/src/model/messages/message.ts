import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelMessage, SystemModelMessage, UIMessage } from 'ai';

export type { ModelMessage, UIMessage, UIMessageChunk } from 'ai';

/** A model of any AI SDK provider package, interface version 2 to 4. */
export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

export type SystemMessage = Readonly<SystemModelMessage>;

/**
 * The input of an agent: a text, UI messages (`{ id?, role, parts }`, as `useChat` has them) or
 * model messages (`{ role, content }`). An empty list is refused. Messages of role `system` are
 * added to the instructions.
 */
export type AgentInput = string | readonly InputUIMessage[] | readonly ModelMessage[];

/** A UI message as a client sends it, with or without an id. */
export type InputUIMessage = Omit<UIMessage, 'id'> & { readonly id?: string };
