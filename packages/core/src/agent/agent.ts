import { checkOptionNames, checkRuntime, ConfigurationError, type Logger } from '@halyard/contracts';
import type { Memory } from '../memory/memory.ts';
import type { AgentInput } from '../model/messages/message.ts';
import type { ModelRegistry } from '../model/providers/model-registry.ts';
import { isReasoningModel } from '../model/providers/reasoning-models.ts';
import { acceptModel, type ModelList } from '../model/providers/resolve-models.ts';
import { defaultRetries, type RetryOptions } from '../model/providers/retry-delay.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { InferSchema, Schema } from '../schema/schema.ts';
import { acceptAccess, type AccessLevel } from '../tool/access-level.ts';
import type { Tool } from '../tool/tool.ts';
import type { ToolsOption } from '../tool/tools-option.ts';
import {
  agentOptionNames,
  foreignOptionNames,
  type AgentOptions,
  type AgentTimeouts,
  defaultTimeouts,
  type BusyPolicy,
  type RunContext,
  type RunOptions,
} from './agent-options.ts';
import type { AgentServices } from './agent-services.ts';
import type { AgentStream } from './agent-stream.ts';
import { type AgentTools, collectAgentTools } from './agent-tools.ts';
import { defaultServices } from './default-services.ts';
import { acceptGeneration, defaultMaxSteps, type GenerationSettings, greatestMaxSteps } from './generation-options.ts';
import type { AgentHooks } from './hooks.ts';
import { acceptInstructions } from './instructions.ts';
import type { LoopControl } from './loop-control.ts';
import { acceptMaxDepth } from './loop/nested-runs.ts';
import { startRun, streamRun } from './loop/start.ts';
import { type MessageMetadata, usageMetadata } from './message-metadata.ts';
import {
  type ArrayOptions,
  type ChoiceOptions,
  compiledOutput,
  type ObjectOptions,
  type ObjectOutput,
  objectOutput,
  type OutputOptions,
  type SchemaHints,
} from './objects/object-output.ts';
import { type ArrayEvent, type ObjectEvent, type ObjectStream, objectStream } from './objects/object-stream.ts';
import { objectRequest, toObjectResult } from './objects/structured-output.ts';
import { agentProcessors } from './processors/agent-processors.ts';
import type { Processor } from './processors/processor.ts';
import type { ObjectResult } from './run-result.ts';
import { acceptSmoothing, type Smoothing } from './smoothing/smooth-stream.ts';
import { type AgentToolOptions, createAgentTool } from './sub-agent-tool.ts';
import type { TypedResult } from './typed-results.ts';

const agentId = /^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$/;

/**
 * A model with instructions, tools and other agents to delegate to. Scripts and the server use the
 * same methods.
 *
 * An agent has no state of its runs: any number can run at once.
 */
export class Agent<Id extends string = string, const Tools extends ToolsOption = ToolsOption> {
  readonly id: Id;
  readonly access: AccessLevel;
  readonly name: string;
  readonly description: string;
  readonly suggestions: readonly string[];
  readonly instructions: NonNullable<AgentOptions['instructions']>;
  readonly model: ModelList | Extract<AgentOptions['model'], (run: never) => unknown>;
  readonly providers: ModelRegistry | undefined;
  /**
   * The agent's own tools, without those that call its sub-agents, and those that a provider
   * defines. None where a function chooses them for each run.
   */
  readonly tools: readonly Tool[];
  /** None where a function chooses them for each run. */
  readonly subAgents: readonly Agent[];
  readonly choosesTools: boolean;
  readonly choosesSubAgents: boolean;
  /** `false`: no memory, even if the server has one. */
  readonly memory: Memory | false | undefined;
  readonly hooks: AgentHooks;
  /** Guardrails included. */
  readonly processors: readonly Processor[];
  readonly maxSteps: number;
  readonly maxDepth: number;
  readonly loop: LoopControl;
  readonly settings: GenerationSettings;
  readonly #usesProviderDefaults: boolean;
  readonly retries: RetryOptions;
  readonly timeouts: AgentTimeouts;
  readonly acceptSystemMessages: boolean;
  /** Undefined: none. */
  readonly messageMetadata: MessageMetadata | undefined;
  readonly rawChunks: boolean;
  readonly smoothing: Smoothing | undefined;
  readonly resumable: boolean;
  readonly durable: boolean | undefined;
  readonly onBusy: BusyPolicy;
  /** Carries types only; never set. */
  declare readonly '~tools'?: Tools;
  readonly #fixed: AgentTools;
  readonly #choose: ((run: RunContext) => Promise<AgentTools>) | undefined;
  readonly #warned = new Set<string>();
  #services: AgentServices | undefined;

  /**
   * @throws ConfigurationError for an unknown option, an invalid id or step count, a missing model,
   * and two tools of one name.
   */
  constructor(options: AgentOptions<Id, Tools>) {
    checkRuntime();
    checkOptionNames(`Agent "${options.id}"`, options, agentOptionNames, foreignOptionNames);
    const { id, maxSteps = defaultMaxSteps } = options;
    if (!agentId.test(id)) throw new ConfigurationError(`Agent id "${id}" must match ${agentId.source}`);
    if (!Number.isInteger(maxSteps) || maxSteps < 1 || maxSteps > greatestMaxSteps) {
      throw new ConfigurationError(`maxSteps of agent "${id}" must be an integer from 1 to ${greatestMaxSteps}`);
    }
    this.id = id;
    this.access = acceptAccess(`agent "${id}"`, options.access);
    this.name = options.name ?? id;
    this.description = options.description ?? '';
    this.suggestions = options.suggestions ?? [];
    this.instructions =
      typeof options.instructions === 'function'
        ? options.instructions
        : acceptInstructions(id, options.instructions ?? '');
    this.model = acceptModel(id, options.model, options.providers);
    this.providers = options.providers;
    const { subAgents, tools } = options;
    this.choosesTools = typeof tools === 'function';
    this.choosesSubAgents = typeof subAgents === 'function';
    const fixedTools = typeof tools === 'function' ? undefined : tools;
    const fixedSubAgents = typeof subAgents === 'function' ? undefined : subAgents;
    this.#fixed = collectAgentTools(id, fixedTools, fixedSubAgents);
    this.tools = this.#fixed.tools;
    this.subAgents = this.#fixed.subAgents;
    if (this.choosesTools || this.choosesSubAgents)
      this.#choose = async (run) =>
        collectAgentTools(
          id,
          typeof tools === 'function' ? await tools(run) : tools,
          typeof subAgents === 'function' ? await subAgents(run) : subAgents,
        );
    this.memory = options.memory;
    this.hooks = options.hooks ?? {};
    this.processors = agentProcessors(options);
    this.maxSteps = maxSteps;
    this.maxDepth = acceptMaxDepth(id, options.maxDepth);
    const { activeTools, prepareStep, repairToolCall, stopWhen, toolChoice } = options;
    this.loop = { activeTools, prepareStep, repairToolCall, stopWhen, toolChoice };
    const { generation = {} } = options;
    this.settings = acceptGeneration(id, generation);
    this.#usesProviderDefaults = generation === 'provider-defaults';
    this.retries = { ...defaultRetries, ...options.retries };
    this.timeouts = { ...defaultTimeouts, ...options.timeouts };
    this.acceptSystemMessages = options.acceptSystemMessages ?? true;
    const { messageMetadata = usageMetadata } = options;
    this.messageMetadata = messageMetadata === false ? undefined : messageMetadata;
    this.rawChunks = options.rawChunks ?? false;
    this.smoothing = acceptSmoothing(`agent "${id}"`, options.smoothStream);
    this.resumable = options.resumable ?? false;
    this.durable = options.durable;
    this.onBusy = options.onBusy ?? 'queue';
  }

  /**
   * Runs the agent, and returns the complete reply.
   *
   * @throws InvalidInputError, GuardrailBlockedError, ModelFailedError, TimeLimitError,
   * AbortedError
   */
  async generateText(input: AgentInput, options: RunOptions = {}): Promise<TypedResult<Tools>> {
    const { result } = await startRun(this, input, options, { operation: 'text' });
    return result;
  }

  /**
   * Runs the agent, and returns its events as they happen. Resolves when the request is accepted:
   * an invalid request throws here, and a later failure is an `error` event.
   *
   * @throws InvalidInputError, GuardrailBlockedError, AbortedError
   */
  async streamText(input: AgentInput, options: RunOptions = {}): Promise<AgentStream<Tools>> {
    return streamRun(this, input, options, { operation: 'stream' });
  }

  /**
   * Runs the agent for an object that fits `schema`; with `output: 'array'` for a list whose
   * elements fit `element`, with `output: 'choice'` for one of `options`. A reply that does not fit
   * is sent back to the model once, unless the model refused, or its reply was filtered or cut.
   *
   * @throws ObjectNotGeneratedError, ConfigurationError for an output that cannot be asked for, and
   * what {@link generateText} throws.
   */
  async generateObject<S extends Schema>(
    input: AgentInput,
    options: ObjectOptions<S>,
  ): Promise<ObjectResult<InferSchema<S>>>;
  async generateObject<S extends Schema>(
    input: AgentInput,
    options: ArrayOptions<S>,
  ): Promise<ObjectResult<InferSchema<S>[]>>;
  async generateObject<Choice extends string>(
    input: AgentInput,
    options: ChoiceOptions<Choice>,
  ): Promise<ObjectResult<Choice>>;
  async generateObject(input: AgentInput, options: OutputOptions): Promise<ObjectResult<unknown>> {
    return this.#generate(input, objectOutput(options), options);
  }

  /**
   * Like {@link generateObject}, with events: the object as far as it is written, each element of a
   * list when it is complete, or the option as soon as it is certain; then the result.
   */
  async streamObject<S extends Schema>(
    input: AgentInput,
    options: ObjectOptions<S>,
  ): Promise<ObjectStream<InferSchema<S>>>;
  async streamObject<S extends Schema>(
    input: AgentInput,
    options: ArrayOptions<S>,
  ): Promise<ObjectStream<InferSchema<S>[], ArrayEvent<InferSchema<S>>>>;
  async streamObject<Choice extends string>(
    input: AgentInput,
    options: ChoiceOptions<Choice>,
  ): Promise<ObjectStream<Choice>>;
  async streamObject(input: AgentInput, options: OutputOptions): Promise<ObjectStream<unknown, unknown>> {
    return this.#stream(input, objectOutput(options), options);
  }

  /** {@link generateObject} with a compiled schema. */
  async generateCompiled<Value>(
    input: AgentInput,
    schema: CompiledSchema<Value>,
    options: RunOptions,
  ): Promise<ObjectResult<Value>> {
    return this.#generate(input, compiledOutput(schema), options);
  }

  /** {@link streamObject} with a compiled schema. */
  async streamCompiled<Value>(
    input: AgentInput,
    schema: CompiledSchema<Value>,
    options: RunOptions,
  ): Promise<ObjectStream<Value>> {
    return this.#stream(input, compiledOutput(schema), options);
  }

  async #generate<Value>(
    input: AgentInput,
    { schema }: Pick<ObjectOutput<Value, unknown>, 'schema'>,
    options: RunOptions & SchemaHints,
  ): Promise<ObjectResult<Value>> {
    const object = objectRequest(schema, options);
    const { result } = await startRun(this, input, options, { operation: 'object', object });
    return toObjectResult(await result, schema, this.id);
  }

  async #stream<Value, Partial>(
    input: AgentInput,
    output: ObjectOutput<Value, Partial>,
    options: RunOptions & SchemaHints,
  ): Promise<ObjectStream<Value, Partial | ObjectEvent<Value>>> {
    const object = objectRequest(output.schema, options);
    const stream = await streamRun(this, input, options, { operation: 'stream-object', object });
    const result = stream.result.then((ended) => toObjectResult(ended, output.schema, this.id));
    return objectStream(stream.batches(), output, result);
  }

  /** This agent as a tool, to which another agent or an HTTP client can give a task. */
  toTool(options?: AgentToolOptions): Tool {
    return createAgentTool(this, options);
  }

  /**
   * Finds a tool that models may call in every run, those that call sub-agents included. For those
   * of one run, see {@link toolsFor}.
   */
  findTool(name: string): Tool | undefined {
    return this.#fixed.find(name);
  }

  /**
   * The tools and sub-agents of one run. What a function chooses is never kept for another run.
   *
   * @throws ConfigurationError when a function returns something else, or two tools of one name
   */
  toolsFor(run: RunContext): AgentTools | Promise<AgentTools> {
    return this.#choose === undefined ? this.#fixed : this.#choose(run);
  }

  /** The memory of runs with these services: the agent's own; otherwise that of the services. */
  memoryIn(services: Pick<AgentServices, 'memory'>): Memory | undefined {
    return this.memory === undefined ? services.memory : this.memory || undefined;
  }

  /** The name of the model: the first of a list, `dynamic` for a function. */
  get modelName(): string {
    return typeof this.model === 'function' ? 'dynamic' : (this.model[0]?.modelId ?? 'none');
  }

  /**
   * Whether calls of these models may have the defaults of HTTP requests. One model of a list may
   * reply for another, with the same settings. Default: the models of the agent, none for a function.
   */
  takesDefaults(
    models: readonly { readonly modelId: string }[] = typeof this.model === 'function' ? [] : this.model,
  ): boolean {
    return !this.#usesProviderDefaults && !models.some(isReasoningModel);
  }

  /** Default services for runs. Approvals are signed with a secret of this process. */
  get services(): AgentServices {
    this.#services ??= defaultServices();
    return this.#services;
  }

  /** Logs the warnings of model calls, each once. */
  warn(logger: Logger, warnings: readonly object[]): void {
    for (const warning of warnings) {
      const text = JSON.stringify(warning);
      if (this.#warned.has(text) || this.#warned.size >= 100) continue;
      this.#warned.add(text);
      logger.warn({ agentId: this.id, warning }, 'a model call returned a warning');
    }
  }
}
