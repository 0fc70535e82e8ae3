/** Who said a message. `tool` is only found where a client saved such a message itself: results of tools are parts of the assistant's message. */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/**
 * One message of a conversation, its parts whole and in order. The shape is that of the AI SDK's `UIMessage`: what `useChat` holds is what is stored.
 *
 * Everything in it is JSON.
 */
export interface Message {
  /** Unique in its conversation. */
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: MessagePart[];
  readonly metadata?: unknown;
}

/** A message as a conversation holds it. */
export interface StoredMessage extends Message {
  /** Milliseconds since the epoch. A later message of a conversation has a later time, so that paging by time loses none. */
  readonly createdAt: number;
}

export type MessagePart =
  | TextPart
  | ReasoningPart
  | FilePart
  | ReasoningFilePart
  | SourceUrlPart
  | SourceDocumentPart
  | ToolPart
  | DataPart
  | CustomPart
  | SteeringPart
  | { type: 'step-start' };

export interface TextPart {
  type: 'text';
  text: string;
  state?: 'streaming' | 'done';
  citations?: Citation[];
  providerMetadata?: ProviderData;
}

interface Citation {
  source: CitedSource;
  startIndex?: number;
  endIndex?: number;
  citedText?: string;
}

type CitedSource = { type: 'source'; id: string; providerMetadata?: ProviderData } & (
  | { sourceType: 'url'; url: string; title?: string }
  | { sourceType: 'document'; mediaType: string; title: string; filename?: string }
);

export interface ReasoningPart {
  type: 'reasoning';
  id?: string;
  text: string;
  state?: 'streaming' | 'done';
  providerMetadata?: ProviderData;
}

export interface FilePart {
  type: 'file';
  mediaType: string;
  /** `data:` or http(s). */
  url: string;
  filename?: string;
  providerReference?: Record<string, string>;
  providerMetadata?: ProviderData;
}

export interface ReasoningFilePart {
  type: 'reasoning-file';
  mediaType: string;
  url: string;
  providerMetadata?: ProviderData;
}

export interface SourceUrlPart {
  type: 'source-url';
  sourceId: string;
  url: string;
  title?: string;
  providerMetadata?: ProviderData;
}

export interface SourceDocumentPart {
  type: 'source-document';
  sourceId: string;
  mediaType: string;
  title: string;
  filename?: string;
  providerMetadata?: ProviderData;
}

/** A call of a tool with all that became of it: its approval, its result, its error. */
export type ToolPart = (
  | { type: `tool-${string}` }
  | {
      type: 'dynamic-tool';
      toolName: string;
      dynamic?: false;
    }
) & {
  toolCallId: string;
  title?: string;
  toolMetadata?: JsonFields;
  providerExecuted?: boolean;
  callProviderMetadata?: ProviderData;
} & (
    | { state: 'input-streaming'; input?: unknown; rawInput?: string; inputEncoding?: 'json' | 'text' }
    | { state: 'input-available'; input: unknown }
    | { state: 'approval-requested'; input: unknown; approval: RequestedApproval }
    | { state: 'approval-responded'; input: unknown; approval: GivenApproval<boolean> }
    | {
        state: 'output-available';
        input: unknown;
        output: unknown;
        preliminary?: boolean;
        approval?: GivenApproval<true>;
        resultProviderMetadata?: ProviderData;
      }
    | {
        state: 'output-error';
        input: unknown;
        rawInput?: unknown;
        errorText: string;
        approval?: GivenApproval<true>;
        resultProviderMetadata?: ProviderData;
      }
    | { state: 'output-denied'; input: unknown; approval: GivenApproval<false> }
  );

interface RequestedApproval {
  id: string;
  /** Proves that the server asked for it. */
  signature?: string;
  descriptor?: unknown;
  requestReason?: string;
  isAutomatic?: boolean;
  inputSchemaInput?: unknown;
}

interface GivenApproval<Approved extends boolean> extends RequestedApproval {
  approved: Approved;
  reason?: string;
}

/** What an app adds of its own. */
export interface DataPart {
  type: `data-${string}`;
  id?: string;
  data: unknown;
}

/** What only one provider knows. */
export interface CustomPart {
  type: 'custom';
  kind: `${string}.${string}`;
  providerMetadata?: ProviderData;
}

/** What the user said while the answer was being written. */
export interface SteeringPart {
  type: 'steering-message';
  id: string;
  parts: (TextPart | FilePart)[];
}

/** Data of providers, under their names: clients keep it and send it back. */
type ProviderData = Record<string, JsonFields>;

interface JsonFields {
  [key: string]: JsonField | undefined;
}

type JsonField = string | number | boolean | null | readonly JsonField[] | Readonly<JsonFields>;
