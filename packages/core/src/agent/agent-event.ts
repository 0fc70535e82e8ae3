import type { Citation, DataPart, Message } from '@halyard/contracts';
import type { Usage } from './usage.ts';

/**
 * Why a step or a run ended. `tool-calls`: the model waits for tool results; at the end of a run,
 * for an approval or a tool that the client runs.
 */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/**
 * Provider data that clients store and send back with its message, such as a reasoning signature or
 * an item id.
 */
export type ProviderMetadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Carried {
  readonly providerMetadata?: ProviderMetadata;
}

interface WithMessageMetadata {
  /** The result of the agent's `messageMetadata` for the metadata of the message. */
  readonly messageMetadata?: unknown;
}

interface ToolCallFields extends Carried {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** The provider runs this tool itself. */
  readonly providerExecuted?: boolean;
  /**
   * The tool is not one of the agent's: the provider found it, as that of an MCP server, or it does
   * not exist.
   */
  readonly dynamic?: boolean;
}

/**
 * One event of a run. Over HTTP, a {@link StreamEvent} is sent for it.
 *
 * Events of a sub-agent carry `agentId`, `agentPath` (ids from the agent that was called first down
 * to the one that emits the event) and `parentToolCallId` (the call of the agent above it that
 * started it). A run starts with `start` and ends with exactly one of `finish`, `abort` and
 * `error`.
 */
export type AgentEvent = AgentEventBody & {
  readonly agentId?: string;
  readonly agentPath?: readonly string[];
  readonly parentToolCallId?: string;
};

export type AgentEventBody =
  | ({ readonly type: 'start' } & WithMessageMetadata)
  | { readonly type: 'start-step' }
  | ({ readonly type: 'finish-step'; readonly finishReason: FinishReason; readonly usage: Usage } & Carried)
  | ({ readonly type: 'finish'; readonly finishReason: FinishReason; readonly usage: Usage } & WithMessageMetadata)
  | { readonly type: 'abort'; readonly reason?: string }
  | { readonly type: 'error'; readonly error: string }
  | ({ readonly type: 'text-start' | 'reasoning-start'; readonly id: string } & Carried)
  | ({ readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string } & Carried)
  | ({ readonly type: 'text-end'; readonly id: string; readonly citations?: Citation[] } & Carried)
  | ({ readonly type: 'reasoning-end'; readonly id: string } & Carried)
  | ({
      readonly type: 'tool-input-start';
      readonly id: string;
      readonly toolName: string;
      readonly title?: string;
    } & Pick<ToolCallFields, 'dynamic' | 'providerExecuted' | 'providerMetadata'>)
  | ({ readonly type: 'tool-input-delta'; readonly id: string; readonly delta: string } & Carried)
  | ({ readonly type: 'tool-input-end'; readonly id: string } & Carried)
  | ToolCallEvent
  | ({
      readonly type: 'tool-result';
      readonly output: unknown;
      /** The tool still works: another result of this call follows, which replaces this one. */
      readonly preliminary?: boolean;
      /** Sub-agents that the tool has started wait for approvals: the result follows in another run. */
      readonly waiting?: boolean;
    } & ToolCallFields)
  | ToolErrorEvent
  | SourceEvent
  | ({ readonly type: 'file' } & FileFields)
  | ({ readonly type: 'reasoning-file' } & FileFields)
  | CustomEvent
  | DataEvent
  | SummaryEvent
  | { readonly type: 'raw'; readonly rawValue: unknown };

/**
 * A tool call of the model. One with an `approvalId` waits for a person: no result follows in this
 * run. A call that the provider asks approval for is emitted first without it.
 */
export type ToolCallEvent = ToolCallFields & {
  readonly type: 'tool-call';
  readonly title?: string;
  readonly approvalId?: string;
  /** Proves that this server requested the approval. The client sends it back with its response. */
  readonly signature?: string;
  /** The arguments do not fit the tool. The tool does not run, and a `tool-error` follows. */
  readonly invalidInput?: boolean;
};

/**
 * A tool call that failed: its input did not fit, the tool threw, it took too long, a person denied
 * the call (`denied`), or the run ended before it. Contains the message, not the stack.
 */
export type ToolErrorEvent = ToolCallFields & {
  readonly type: 'tool-error';
  readonly error: string;
  readonly denied?: boolean;
  /**
   * The arguments did not fit the tool, or the run ended before the model had written all of them.
   */
  readonly invalidInput?: boolean;
};

/**
 * An event as `POST /agents/:id/stream` sends it, one per `data:` line: the closed list of the HTTP
 * contract.
 */
export type StreamEvent =
  | Exclude<
      AgentEvent,
      { readonly type: 'custom' | 'data' | 'finish' | 'reasoning-file' | 'start' | 'summary' | 'tool-result' }
    >
  | Omit<Extract<AgentEvent, { readonly type: 'tool-result' }>, 'waiting'>
  | Omit<Extract<AgentEvent, { readonly type: 'start' }>, 'messageMetadata'>
  | Omit<Extract<AgentEvent, { readonly type: 'finish' }>, 'messageMetadata'>;

/** A file that the model generated. */
interface FileFields extends Carried {
  readonly mediaType: string;
  /** A `data:` URL, or the provider's own. */
  readonly url: string;
}

/**
 * Data that a tool writes for the client, also a tool of a sub-agent. They are a part of the reply,
 * unless they are transient.
 */
export interface DataEvent {
  readonly type: 'data';
  /** It replaces an earlier part of the reply that has its type and its id. */
  readonly part: DataPart;
  readonly transient?: boolean;
}

/** Content that is specific to one provider, such as a compaction of the conversation. */
type CustomEvent = { readonly type: 'custom'; readonly kind: `${string}.${string}` } & Carried;

/**
 * Older messages of the conversation were summarised: the message with the summary, as it is
 * stored. It is not part of the reply.
 */
type SummaryEvent = { readonly type: 'summary'; readonly message: Message };

export type SourceEvent = {
  readonly type: 'source';
  readonly id: string;
} & (
  | { readonly sourceType: 'url'; readonly url: string; readonly title?: string }
  | { readonly sourceType: 'document'; readonly mediaType: string; readonly title: string; readonly filename?: string }
) &
  Carried;
