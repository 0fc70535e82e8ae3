import { ConfigurationError, InvalidInputError } from '@halyard/contracts';
import type { ToModelOutput } from '../model/prompt/to-model-messages.ts';
import type { ProviderOptions } from '../model/providers/model-port.ts';
import { checkToolName } from './create-tool.ts';
import type { SdkToolOptions } from './provider-tool.ts';
import { compileSdkSchema } from './sdk-schema.ts';
import type { Tool, ToolContext } from './tool.ts';

/**
 * A tool of the AI SDK, as its functions `tool()` and `dynamicTool()` return it. It has no name: a
 * record of tools gives it one.
 */
export interface SdkTool {
  readonly type?: 'function' | 'dynamic' | undefined;
  readonly description?: string | ((options: never) => string) | undefined;
  readonly title?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly contextSchema?: unknown;
  readonly inputExamples?: readonly { readonly input: unknown }[] | undefined;
  readonly strict?: boolean | undefined;
  readonly providerOptions?: ProviderOptions | undefined;
  readonly needsApproval?: boolean | ((input: never, options: never) => boolean | PromiseLike<boolean>) | undefined;
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/**
 * Functions and settings of the AI SDK's tools that Halyard does not have. Ignoring them would
 * change the behaviour of a tool.
 */
const unsupported = ['deferLoading', 'onInputAvailable', 'onInputDelta', 'onInputStart'] as const;

export function isSdkTool(value: object): value is SdkTool {
  return 'inputSchema' in value;
}

/** Agents that share a tool of the AI SDK under one name share the converted tool. */
const converted = new WeakMap<SdkTool, Map<string, Tool>>();

/**
 * @throws ConfigurationError for a name that providers do not accept, and for a part of the tool
 * that Halyard does not have.
 */
export function fromSdkTool(name: string, sdkTool: SdkTool): Tool {
  const known = converted.get(sdkTool) ?? new Map<string, Tool>();
  converted.set(sdkTool, known);
  const tool = known.get(name) ?? convert(name, sdkTool);
  known.set(name, tool);
  return tool;
}

function convert(name: string, sdkTool: SdkTool): Tool {
  checkToolName(name);
  const { description = '', inputExamples, needsApproval = false, outputSchema, toModelOutput } = sdkTool;
  const given: Readonly<Record<string, unknown>> = { ...sdkTool };
  const part = unsupported.find((key) => given[key] !== undefined);
  if (part !== undefined)
    throw new ConfigurationError(`Tool "${name}" has \`${part}\`, which agents do not support: remove it`);
  if (typeof description !== 'string')
    throw new ConfigurationError(
      `The description of tool "${name}" must be a text: agents do not call functions for it`,
    );
  const acceptContext = toContext(name, sdkTool);
  const optionsOf = async ({
    context,
    toolCallId,
  }: Pick<ToolContext, 'context' | 'toolCallId'>): Promise<SdkToolOptions> => ({
    toolCallId,
    messages: [],
    context: await acceptContext(context),
  });

  // The schemas have checked the arguments of the tool's functions.
  return {
    name,
    access: 'users',
    title: sdkTool.title,
    description,
    tags: [],
    strict: sdkTool.strict,
    providerOptions: sdkTool.providerOptions,
    inputExamples: inputExamples as Tool['inputExamples'],
    input: compileSdkSchema(sdkTool.inputSchema, `the input of tool "${name}"`),
    output: outputSchema === undefined ? undefined : compileSdkSchema(outputSchema, `the output of tool "${name}"`),
    clientSide: sdkTool.execute === undefined,
    timeoutMs: undefined,
    approval: typeof needsApproval === 'boolean' ? needsApproval : 'asks',
    needsApproval: async (input, context) =>
      typeof needsApproval === 'boolean'
        ? needsApproval
        : needsApproval(input as never, (await optionsOf(context)) as never),
    toModelOutput: toModelOutput as ToModelOutput | undefined,
    execute: async (input, context) => {
      const options = { ...(await optionsOf(context)), abortSignal: context.signal };
      return sdkTool.execute?.(input as never, options as never);
    },
  };
}

function toContext(name: string, { contextSchema }: SdkTool): (context: unknown) => Promise<unknown> {
  if (contextSchema === undefined) return async (context) => context;
  const schema = compileSdkSchema(contextSchema, `the context of tool "${name}"`);
  return async (context) => {
    const result = await schema.validate(context, 'context');
    if (!result.ok) throw new InvalidInputError(result.message);
    return result.value;
  };
}
