import type { ModelTool } from '../model/providers/model-port.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { Tool } from './tool.ts';

/**
 * A tool that a provider defines, as the AI SDK's provider packages have it:
 * `openai.tools.webSearch()`. The provider runs it, or, with `execute`, the app does; without
 * either, the client does.
 */
export interface ProviderTool {
  readonly type: 'provider';
  readonly id: `${string}.${string}`;
  /** Default: the id without the provider, such as `web_search`. */
  readonly name?: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly isProviderExecuted: boolean;
  /** The provider may send a result in a later step than the call. */
  readonly supportsDeferredResults?: boolean | undefined;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** The options that the AI SDK passes to the functions of a tool, as far as Halyard has them. */
export interface SdkToolOptions {
  readonly toolCallId: string;
  readonly messages: readonly [];
  readonly abortSignal?: AbortSignal | undefined;
  readonly context: unknown;
}

export function isProviderTool(tool: object): tool is ProviderTool {
  return 'type' in tool && tool.type === 'provider';
}

export function providerToolName({ id, name }: ProviderTool): string {
  return name ?? id.slice(id.indexOf('.') + 1);
}

export function toModelProviderTool(tool: ProviderTool): ModelTool {
  return { type: 'provider', id: tool.id, name: providerToolName(tool), args: { ...tool.args } };
}

/**
 * A tool of a provider that the app or the client runs. The provider has checked its arguments,
 * whose schema is its own.
 */
export function runnableProviderTool(tool: ProviderTool): Tool {
  const { execute } = tool;
  return {
    name: providerToolName(tool),
    access: 'users',
    title: undefined,
    description: '',
    tags: ['provider'],
    strict: undefined,
    providerOptions: undefined,
    input: anyObject,
    output: undefined,
    clientSide: execute === undefined,
    timeoutMs: undefined,
    approval: false,
    needsApproval: () => false,
    toModelOutput: undefined,
    // The arguments fit, since the provider defines the schema of `execute`.
    execute: (input, { context, signal, toolCallId }) => {
      const options: SdkToolOptions = { toolCallId, messages: [], abortSignal: signal, context };
      return execute?.(input as never, options as never);
    },
  };
}

const anyObject: CompiledSchema<unknown> = {
  jsonSchema: { type: 'object' },
  isClosed: false,
  validate: (value) => ({ ok: true, value }),
};
