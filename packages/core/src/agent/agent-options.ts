import type { SpanContext, User } from '@halyard/contracts';
import type { Memory } from '../memory/memory.ts';
import type { RunMemoryOptions } from '../memory/turn/turn-options.ts';
import type { ModelChoice } from '../model/resolve-models.ts';
import type { RetryOptions } from '../model/retry-delay.ts';
import type { AgentServices } from '../services/agent-services.ts';
import type { Tool } from '../tool/tool.ts';
import type { Agent } from './agent.ts';
import type { GenerationSettings } from './generation-options.ts';
import type { InputGuardrail, OutputGuardrail } from './guardrails.ts';
import type { AgentHooks } from './hooks.ts';
import type { AgentJournal } from './run/journal.ts';
import type { ParentRun } from './run/run.ts';

/** What instructions and a model choice may depend on. */
export interface RunContext {
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly user: User | undefined;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
}

/** Limits in milliseconds; `Infinity` is no limit. A run that exceeds one ends with an error, not with an abort. */
export interface AgentTimeouts {
  /** For a whole run. */
  readonly totalMs: number;
  /** For the time in which the model sends no data. For a call without streaming, that is the time to its answer, retries included. */
  readonly stepMs: number;
  /** For the time until a streaming model sends its first token. */
  readonly firstTokenMs: number;
  /** For a tool call, unless the tool has its own limit. */
  readonly toolMs: number;
}

export const defaultTimeouts: AgentTimeouts = {
  totalMs: Infinity,
  stepMs: 120_000,
  firstTokenMs: 60_000,
  toolMs: 60_000,
};

/**
 * What becomes of a question in a conversation whose last one is being answered: `reject` refuses it, `queue` lets it wait for its turn, `interrupt` stops the
 * answer that is being given.
 */
export type LiveAnswerPolicy = 'reject' | 'queue' | 'interrupt';

export interface AgentOptions {
  /** `^[A-Za-z0-9_.:-]{1,128}$`; part of every URL of the agent. */
  readonly id: string;
  /** Default: the id. */
  readonly name?: string;
  /** What the agent is for; shown to people and to agents that may delegate to it. Never the instructions. */
  readonly description?: string;
  readonly instructions?: string | ((run: RunContext) => string | Promise<string>);
  /** An AI SDK model, a list tried in order, or a function that chooses for each run. */
  readonly model: ModelChoice | ((run: RunContext) => ModelChoice | Promise<ModelChoice>);
  readonly tools?: readonly Tool[];
  /** Agents this one may delegate to, each through a tool `ask_<id>`. */
  readonly subAgents?: readonly Agent[];
  /** What the agent remembers. Default: the memory of the server. `false`: nothing. */
  readonly memory?: Memory | false;
  readonly hooks?: AgentHooks;
  readonly inputGuardrails?: readonly InputGuardrail[];
  readonly outputGuardrails?: readonly OutputGuardrail[];
  /** 1 to 50; default 10. */
  readonly maxSteps?: number;
  /** Used where a request says nothing. `null`: not sent to the model at all. */
  readonly generation?: GenerationSettings;
  readonly retries?: Partial<RetryOptions>;
  readonly timeouts?: Partial<AgentTimeouts>;
  /** `false`: input with messages of role `system` is refused. Default `true`: they follow the agent's own instructions. */
  readonly acceptSystemMessages?: boolean;
  /** `true`: the provider's own chunks come through as `raw` events. */
  readonly rawChunks?: boolean;
  /** `true`: a chat over HTTP goes on without its client, who can come back to it, unless the request says otherwise. Default `false`. */
  readonly resumable?: boolean;
  /** Of resumable chats: one answer is given in a conversation at a time. Default `reject`. */
  readonly liveAnswer?: LiveAnswerPolicy;
}

/** Options of one run. */
export interface RunOptions extends GenerationSettings {
  /** With a `conversationId`, and a memory: the run reads the conversation, and writes what was asked and answered. */
  readonly userId?: string;
  readonly conversationId?: string;
  /** Nested form of the memory settings; wins over the flat fields of the same meaning. */
  readonly memory?: RunMemoryOptions;
  /** How many of the newest stored messages the run sees, what is asked now not among them. Default: the memory's. */
  readonly contextLimit?: number;
  /** Of the message that the answer is stored as; unique in its conversation. Default: a new one. A run that goes on with a message keeps the id of that. */
  readonly messageId?: string;
  readonly maxSteps?: number;
  /** Reaches instructions, tools, hooks and guardrails. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** The verified user, when there is one. */
  readonly user?: User;
  /** Aborts the run. */
  readonly signal?: AbortSignal | undefined;
  /** The span of another service that asked for this: `traceparent` of a request. What runs here already goes before it. */
  readonly traceParent?: SpanContext;
  /** What the run is recorded as: `halyard.operation` of its span. Default: by the method, `text`, `stream`, `object`, `stream-object`. */
  readonly operation?: string | undefined;
  /** Records each model call and tool call, so that a repeated run does not repeat them. */
  readonly journal?: AgentJournal;
  readonly services?: Partial<AgentServices>;
  /** The run this one works for: its events and usage go there. */
  readonly parent?: ParentRun;
}
