import { checkOptionNames, ConfigurationError, type OptionNames } from '@halyard/contracts';
import type { Jsonify } from '../json/jsonify.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import {
  type InferSchema,
  type InferSchemaInput,
  isJsonSchemaObject,
  type JsonSchema,
  type Schema,
} from '../schema/schema.ts';
import { acceptAccess } from './access-level.ts';
import type { NeedsApproval, Tool, ToolContext, ToolOptions } from './tool.ts';

const toolName = /^[A-Za-z0-9_-]{1,64}$/;

const optionNames: OptionNames<ToolOptions<Schema, Schema, unknown>> = {
  access: true,
  description: true,
  execute: true,
  input: true,
  inputExamples: true,
  name: true,
  needsApproval: true,
  output: true,
  providerOptions: true,
  strict: true,
  tags: true,
  timeoutMs: true,
  title: true,
  toModelOutput: true,
};
/** Names of other frameworks. */
const foreignNames = { id: 'name', inputSchema: 'input', outputSchema: 'output', parameters: 'input' } as const;

/**
 * A function that models can call. Arguments are validated by `input` before `execute` receives
 * them. Arguments that do not fit are returned to the model as an error.
 *
 * @throws ConfigurationError for an unknown option, a name that providers do not accept, and for a
 * schema that cannot be used.
 */
export function createTool<
  In extends Schema,
  Out extends Schema | undefined = undefined,
  Result = unknown,
  Name extends string = string,
>(options: ToolOptions<In, Out, Result, Name>): Tool<Name, InferSchemaInput<In>, ToolOutput<Out, Result>> {
  const owner = typeof options?.name === 'string' ? `Tool "${options.name}"` : 'createTool';
  checkOptionNames(owner, options, optionNames, foreignNames);
  const { name, description, inputExamples, providerOptions, strict, tags = [], timeoutMs, title } = options;
  const execute: ((input: InferSchema<In>, context: ToolContext) => unknown) | undefined = options.execute;
  checkToolName(name);
  if (options.input === undefined)
    throw new ConfigurationError(
      `Tool "${name}" needs an \`input\`: a schema of its arguments, such as Type.Object({})`,
    );
  const input = compileSchema(options.input, `the input of tool "${name}"`);
  if (!describesObject(input.jsonSchema)) {
    throw new ConfigurationError(`The input of tool "${name}" must be a schema of type object`);
  }
  const output =
    options.output === undefined ? undefined : compileSchema(options.output, `the output of tool "${name}"`);
  const asks: NeedsApproval<InferSchema<In>> = options.needsApproval ?? false;

  // The two assertions below are true since the input was validated by the compiled schema.
  return {
    name,
    access: acceptAccess(`tool "${name}"`, options.access),
    title,
    description,
    tags,
    strict,
    providerOptions,
    inputExamples,
    input,
    output,
    timeoutMs,
    clientSide: execute === undefined,
    approval: typeof asks === 'function' ? 'asks' : asks !== false,
    needsApproval: (value, context) => (typeof asks === 'function' ? asks(value as InferSchema<In>, context) : asks),
    toModelOutput: options.toModelOutput,
    execute: (value, context) => execute?.(value as InferSchema<In>, context),
  };
}

/** The output as JSON; without a schema, what `execute` returns or yields. */
type ToolOutput<Out extends Schema | undefined, Result> = Jsonify<
  Out extends Schema ? InferSchema<Out> : Result extends AsyncIterable<infer Value> ? Value : Result
>;

/** @throws ConfigurationError for a name that providers do not accept. */
export function checkToolName(name: string): void {
  if (!toolName.test(name)) throw new ConfigurationError(`Tool name "${name}" must match ${toolName.source}`);
}

/** Also a union of objects, as `z.union` and `z.discriminatedUnion` describe it. */
function describesObject(schema: JsonSchema): boolean {
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (schema['type'] !== undefined || !Array.isArray(branches)) return schema['type'] === 'object';
  return branches.every((branch) => isJsonSchemaObject(branch) && describesObject(branch));
}
