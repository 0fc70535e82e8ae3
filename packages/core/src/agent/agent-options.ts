import type { OptionNames, SpanContext, User } from '@halyard/contracts';
import type { Memory } from '../memory/memory.ts';
import type { RunMemoryOptions } from '../memory/run-memory-settings.ts';
import type { ModelRegistry } from '../model/providers/model-registry.ts';
import type { ModelChoice } from '../model/providers/resolve-models.ts';
import type { RetryOptions } from '../model/providers/retry-delay.ts';
import type { AccessLevel } from '../tool/access-level.ts';
import type { Collection } from '../tool/collection.ts';
import type { ToolsOption } from '../tool/tools-option.ts';
import type { AgentServices } from './agent-services.ts';
import type { Agent } from './agent.ts';
import type { SettledApproval } from './approvals/approvals.ts';
import type { GenerationSettings } from './generation-options.ts';
import type { AgentHooks } from './hooks.ts';
import type { Instructions } from './instructions.ts';
import type { LoopControl } from './loop-control.ts';
import type { AgentJournal } from './loop/journal.ts';
import type { ParentRun } from './loop/run.ts';
import type { MessageMetadata } from './message-metadata.ts';
import type { CompactionOptions } from './processors/compact.ts';
import type { InputGuardrail, OutputGuardrail } from './processors/guardrails.ts';
import type { Processor } from './processors/processor.ts';
import type { SmoothStreamOptions } from './smoothing/smooth-stream.ts';

/** The request, for functions that return instructions, models, tools or sub-agents. */
export interface RunContext {
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly user: User | undefined;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
}

/**
 * Limits in milliseconds; `Infinity` is no limit. A run that exceeds one ends with an error, not
 * with an abort.
 */
export interface AgentTimeouts {
  /** Applies to a whole run. The time in which a run waits for a person does not count. */
  readonly totalMs: number;
  /**
   * For the time in which the model sends no data. For a call without streaming, that is the time
   * to its reply, retries included.
   */
  readonly stepMs: number;
  /** For the time until a streaming model sends its first token. */
  readonly firstTokenMs: number;
  /** For a tool call, unless the tool has its own limit. */
  readonly toolMs: number;
}

export const defaultTimeouts: AgentTimeouts = {
  totalMs: 600_000,
  stepMs: 120_000,
  firstTokenMs: 60_000,
  toolMs: 60_000,
};

/**
 * The policy for a question that arrives during an earlier run of its conversation: `queue` runs it
 * afterwards, `reject` refuses it unless the earlier run ends within a second, `interrupt` aborts
 * the earlier run.
 */
export type BusyPolicy = 'reject' | 'queue' | 'interrupt';

export interface AgentOptions<Id extends string = string, Tools extends ToolsOption = ToolsOption> extends LoopControl {
  /** `^[A-Za-z0-9_.:-]{1,128}$`, and not only dots; part of every URL of the agent. */
  readonly id: Id;
  /** Default: the id. */
  readonly name?: string | undefined;
  /**
   * The callers that may run it over HTTP, MCP and WebSockets. `operators`: only the console key or
   * the dev bypass. `server`: nobody; only code, workflows and other agents run it. Default
   * `users`: everyone who may call its routes.
   */
  readonly access?: AccessLevel | undefined;
  /**
   * The purpose of the agent, for people and for agents that delegate to it. Not the instructions,
   * which stay private.
   */
  readonly description?: string | undefined;
  /**
   * Questions that pages offer before the first message. Default: the console makes some from the
   * tools.
   */
  readonly suggestions?: readonly string[] | undefined;
  /**
   * A text, system messages, or a function that returns them for each run. They come first in every
   * prompt.
   */
  readonly instructions?: Instructions | ((run: RunContext) => Instructions | Promise<Instructions>) | undefined;
  /**
   * An AI SDK model or its id in `providers`, a list of models that are tried in order, or a
   * function that chooses for each run.
   */
  readonly model: ModelChoice | ((run: RunContext) => ModelChoice | Promise<ModelChoice>);
  /**
   * Finds models by their ids: the registry that `createProviderRegistry` of `ai` returns, or one
   * provider.
   */
  readonly providers?: ModelRegistry | undefined;
  /**
   * Tools of `createTool` and of providers, such as `openai.tools.webSearch()`; in a record, also
   * tools of the AI SDK. A function chooses them for each run.
   */
  readonly tools?: Tools | ((run: RunContext) => Tools | Promise<Tools>) | undefined;
  /**
   * Agents that this one can delegate to, each through a tool `ask_<id>`. A function chooses them
   * for each run.
   */
  readonly subAgents?:
    | Collection<Agent>
    | ((run: RunContext) => Collection<Agent> | Promise<Collection<Agent>>)
    | undefined;
  /** Default: the memory of the server. `false`: no memory. */
  readonly memory?: Memory | false | undefined;
  readonly hooks?: AgentHooks | undefined;
  /**
   * Summarises older messages of a conversation, so that it never becomes too long for the model.
   * Default: `contextLimit` of the memory limits the prompt.
   */
  readonly compaction?: CompactionOptions | undefined;
  /**
   * About how many tokens a prompt may have. Older tool results and exchanges are left out.
   * Default: no limit.
   */
  readonly contextTokens?: number | undefined;
  /** Steps around the prompt and the reply, in their order. Guardrails follow them. */
  readonly processors?: readonly Processor[] | undefined;
  readonly inputGuardrails?: readonly InputGuardrail[] | undefined;
  readonly outputGuardrails?: readonly OutputGuardrail[] | undefined;
  /** 1 to 50; default 10. */
  readonly maxSteps?: number | undefined;
  /**
   * How deep agents may be nested, this one included, when it runs in a tool of another agent or of
   * its own. 1 to 64; default 8. An execution that a tool starts counts anew.
   */
  readonly maxDepth?: number | undefined;
  /**
   * Defaults for requests. `null`: the setting is not sent to the model. `provider-defaults`: HTTP
   * requests send no setting that they do not contain.
   */
  readonly generation?: GenerationSettings | 'provider-defaults' | undefined;
  readonly retries?: Partial<RetryOptions> | undefined;
  readonly timeouts?: Partial<AgentTimeouts> | undefined;
  /**
   * `false`: input with messages of role `system` is refused. Default `true`: they follow the
   * agent's instructions.
   */
  readonly acceptSystemMessages?: boolean | undefined;
  /** `true`: the provider's own chunks are emitted as `raw` events. */
  readonly rawChunks?: boolean | undefined;
  /**
   * Streams emit texts and reasoning in even chunks: `true` for words. Default `false`: as the
   * model sends them.
   */
  readonly smoothStream?: boolean | SmoothStreamOptions | undefined;
  /**
   * Metadata of the messages of the assistant, for clients of `/chat` and for the memory. Default:
   * `usageMetadata`. `false`: none.
   */
  readonly messageMetadata?: MessageMetadata | false | undefined;
  /**
   * `true`: a chat over HTTP continues when its client disconnects, and the client can attach
   * again, unless the request sets it differently. Default `false`.
   */
  readonly resumable?: boolean | undefined;
  /**
   * `true`: a chat over HTTP is an execution. When the process that generates the reply ends,
   * another one continues it from the last recorded model or tool call, under the same message id.
   * It is also resumable. The request can set it differently. Default: as `resumable` where the
   * storage outlives the process, else `false`.
   */
  readonly durable?: boolean | undefined;
  /** A conversation has one run at a time, whatever the agent or server. Default `queue`. */
  readonly onBusy?: BusyPolicy | undefined;
}

export const agentOptionNames: OptionNames<AgentOptions> = {
  acceptSystemMessages: true,
  access: true,
  activeTools: true,
  compaction: true,
  contextTokens: true,
  description: true,
  durable: true,
  generation: true,
  hooks: true,
  id: true,
  inputGuardrails: true,
  instructions: true,
  onBusy: true,
  maxDepth: true,
  maxSteps: true,
  memory: true,
  messageMetadata: true,
  model: true,
  name: true,
  outputGuardrails: true,
  prepareStep: true,
  processors: true,
  providers: true,
  rawChunks: true,
  repairToolCall: true,
  resumable: true,
  retries: true,
  smoothStream: true,
  stopWhen: true,
  subAgents: true,
  suggestions: true,
  timeouts: true,
  toolChoice: true,
  tools: true,
};

/** Names of other frameworks. */
export const foreignOptionNames = { maxTurns: 'maxSteps', system: 'instructions' } as const;

/**
 * Why the last message of the input, one of the user, is stored already. `regenerate`: a new reply
 * replaces everything after it. `edit`: the same, if its content has changed.
 */
export type Resend = 'regenerate' | 'edit';

/** Options of one run. */
export interface RunOptions extends GenerationSettings, LoopControl {
  /**
   * With a `conversationId` and a memory, the run reads the conversation and writes the question
   * and the reply.
   */
  readonly userId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Nested form of the memory settings; takes precedence over the flat fields. */
  readonly memory?: RunMemoryOptions | undefined;
  /**
   * How many of the newest stored messages the model receives, without those of this request. From
   * 4 on, up to half as many more. Default: the memory's setting.
   */
  readonly contextLimit?: number | undefined;
  /**
   * Id under which the reply is stored; unique in its conversation. Default: a new id. A run that
   * continues a message keeps that message's id.
   */
  readonly messageId?: string | undefined;
  /**
   * For a last message whose id the conversation has already. Without it, nothing stored is
   * replaced: the message counts as sent twice, and the run returns the reply that is stored. A
   * ConflictError (`MESSAGE_ANSWERED`) if others follow that answer.
   */
  readonly resend?: Resend | undefined;
  readonly maxSteps?: number | undefined;
  /** Default: the agent's. */
  readonly smoothStream?: boolean | SmoothStreamOptions | undefined;
  /** Passed to instructions, tools, hooks and guardrails. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** The verified user, when there is one. */
  readonly user?: User | undefined;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
  /** Default: those of the agent. Tests pass a clock and ids. */
  readonly services?: Partial<AgentServices> | undefined;
  /**
   * For a tool that runs an agent: the run that receives the events and usage, `parent` of the
   * tool's context.
   */
  readonly parent?: ParentRun | undefined;
}

/** Options of a run that a server, a workflow or another agent starts. */
export interface InternalRunOptions extends RunOptions {
  /**
   * Used where neither these options nor the agent have a setting, unless the model refuses it,
   * reasons, or the agent uses the defaults of its provider. The HTTP server passes those of its contract. Default: none.
   */
  readonly generationDefaults?: GenerationSettings | undefined;
  /**
   * The calling service's span, from the `traceparent` of a request. An active span of this process
   * takes precedence.
   */
  readonly traceParent?: SpanContext | undefined;
  /**
   * The run is a request, although it has a parent span: that of the execution of its durable
   * reply.
   */
  readonly isRequest?: true | undefined;
  /**
   * `halyard.operation` in the run's span. Default: `text`, `stream`, `object` or `stream-object`,
   * by the method.
   */
  readonly operation?: string | undefined;
  /**
   * Records each model call and tool call, so that a run can be continued without repeating them.
   */
  readonly journal?: AgentJournal | undefined;
  /** Approval requests whose responses, in the input, the server has accepted from others. */
  readonly settledApprovals?: readonly SettledApproval[] | undefined;
}
