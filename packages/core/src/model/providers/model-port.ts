/**
 * The AI SDK's provider interface under the names that Halyard uses. Other folders of core import
 * these, and not the provider package.
 */
export type {
  JSONObject,
  JSONValue,
  LanguageModelV4 as ResolvedModel,
  LanguageModelV4CallOptions as ModelCallOptions,
  LanguageModelV4Content as ModelContent,
  LanguageModelV4FilePart as PromptFilePart,
  LanguageModelV4GenerateResult as CompleteReply,
  LanguageModelV4Message as PromptMessage,
  LanguageModelV4Prompt as Prompt,
  LanguageModelV4StreamPart as ModelPart,
  LanguageModelV4ToolResultOutput as ToolResultOutput,
  LanguageModelV4ToolResultPart as PromptToolResult,
  LanguageModelV4Usage as ModelUsage,
  SharedV4ProviderOptions as ProviderOptions,
  SharedV4Warning as ModelWarning,
} from '@ai-sdk/provider';
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';

type AssistantPrompt = Extract<LanguageModelV4Message, { role: 'assistant' }>;
export type AssistantPart = AssistantPrompt['content'][number];
export type ReasoningEffort = NonNullable<LanguageModelV4CallOptions['reasoning']>;
export type ModelTool = NonNullable<LanguageModelV4CallOptions['tools']>[number];
export type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
export type ToolPrompt = Extract<LanguageModelV4Message, { role: 'tool' }>;
