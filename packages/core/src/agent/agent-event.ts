import type { Usage } from './usage.ts';

/** Why a step or a run ended. `tool-calls`: the model waits for tools (an approval, or a tool that the client runs). */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** Provider data that a client keeps and sends back with the message it came with (a reasoning signature, an item id). */
export type ProviderMetadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Carried {
  readonly providerMetadata?: ProviderMetadata;
}

interface ToolCallFields extends Carried {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** The provider ran this tool itself. */
  readonly providerExecuted?: boolean;
}

/**
 * One event of a run: what `POST /agents/:id/stream` sends, one per `data:` line (the closed list of the HTTP contract).
 *
 * Events of a sub-agent carry `agentId` and `agentPath` (ids from the agent that was asked down to the one that speaks).
 * A run starts with `start` and ends with exactly one of `finish`, `abort` and `error`.
 */
export type AgentEvent = AgentEventBody & {
  readonly agentId?: string;
  readonly agentPath?: readonly string[];
};

export type AgentEventBody =
  | { readonly type: 'start' }
  | { readonly type: 'start-step' }
  | { readonly type: 'finish-step'; readonly finishReason: FinishReason; readonly usage: Usage }
  | { readonly type: 'finish'; readonly finishReason: FinishReason; readonly usage: Usage }
  | { readonly type: 'abort'; readonly reason?: string }
  | { readonly type: 'error'; readonly error: string }
  | ({ readonly type: 'text-start' | 'reasoning-start'; readonly id: string } & Carried)
  | ({ readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string } & Carried)
  | ({ readonly type: 'text-end' | 'reasoning-end'; readonly id: string } & Carried)
  | ({ readonly type: 'tool-input-start'; readonly id: string; readonly toolName: string } & Carried)
  | { readonly type: 'tool-input-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'tool-input-end'; readonly id: string }
  | ToolCallEvent
  | ({ readonly type: 'tool-result'; readonly output: unknown } & ToolCallFields)
  | ToolErrorEvent
  | SourceEvent
  | ({
      readonly type: 'file';
      readonly mediaType: string;
      /** A `data:` URL, or the provider's own. */ readonly url: string;
    } & Carried)
  | { readonly type: 'raw'; readonly rawValue: unknown };

/** A tool the model wants run. With `approvalId` it waits for a person: no result follows in this run. */
export type ToolCallEvent = ToolCallFields & {
  readonly type: 'tool-call';
  readonly approvalId?: string;
  /** Proves the request is this server's own; goes back with the answer. */
  readonly signature?: string;
  /** The arguments do not fit the tool: nothing may run on them, and a `tool-error` follows. */
  readonly invalidInput?: boolean;
};

/** A tool that could not run: its input did not fit, it threw, it took too long, or a person denied it (`denied`). Message only, no stack. */
export type ToolErrorEvent = ToolCallFields & {
  readonly type: 'tool-error';
  readonly error: string;
  readonly denied?: boolean;
  /** The model's arguments were not valid for the tool. */
  readonly invalidInput?: boolean;
};

export type SourceEvent = {
  readonly type: 'source';
  readonly id: string;
} & (
  | { readonly sourceType: 'url'; readonly url: string; readonly title?: string }
  | { readonly sourceType: 'document'; readonly mediaType: string; readonly title: string; readonly filename?: string }
) &
  Carried;
