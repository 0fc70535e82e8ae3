/**
 * The author of a message. Results of tools are parts of the assistant's message: `tool` exists
 * only where a client stored such a message itself.
 */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/**
 * One message of a conversation with its parts in order. It has the shape of the AI SDK's
 * `UIMessage`, so the messages of `useChat` are stored as they are.
 *
 * All values are JSON.
 */
export interface Message {
  /** Unique in its conversation. */
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: MessagePart[];
  readonly metadata?: unknown;
}

/** A message as it is stored in a conversation. */
export interface StoredMessage extends Message {
  /**
   * Milliseconds since the epoch. No two messages of a conversation have the same time, so paging
   * by time skips none.
   */
  readonly createdAt: number;
}

/** A part of a message, as in the AI SDK. */
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

/** Text with its citations. */
export interface TextPart {
  type: 'text';
  text: string;
  state?: 'streaming' | 'done';
  citations?: Citation[];
  providerMetadata?: ProviderData;
}

/** The source of a passage of a text. */
export interface Citation {
  source: CitedSource;
  startIndex?: number;
  endIndex?: number;
  citedText?: string;
}

type CitedSource = { type: 'source'; id: string; providerMetadata?: ProviderData } & (
  | { sourceType: 'url'; url: string; title?: string }
  | { sourceType: 'document'; mediaType: string; title: string; filename?: string }
);

/** Reasoning of the model. */
export interface ReasoningPart {
  type: 'reasoning';
  id?: string;
  text: string;
  state?: 'streaming' | 'done';
  providerMetadata?: ProviderData;
}

/** A file that was attached or generated. */
export interface FilePart {
  type: 'file';
  mediaType: string;
  /** A `data:`, `http:` or `https:` URL. */
  url: string;
  filename?: string;
  providerReference?: Record<string, string>;
  providerMetadata?: ProviderData;
}

/** A file that is part of the model's reasoning. */
export interface ReasoningFilePart {
  type: 'reasoning-file';
  mediaType: string;
  url: string;
  providerMetadata?: ProviderData;
}

/** A web page that the model used. */
export interface SourceUrlPart {
  type: 'source-url';
  sourceId: string;
  url: string;
  title?: string;
  providerMetadata?: ProviderData;
}

/** A document that the model used. */
export interface SourceDocumentPart {
  type: 'source-document';
  sourceId: string;
  mediaType: string;
  title: string;
  filename?: string;
  providerMetadata?: ProviderData;
}

/** A tool call with its approval and its result or error. */
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
    | { state: 'approval-responded'; input: unknown; approval: SentApproval<boolean> }
    | {
        state: 'output-available';
        input: unknown;
        output: unknown;
        preliminary?: boolean;
        approval?: SentApproval<true>;
        resultProviderMetadata?: ProviderData;
      }
    | {
        state: 'output-error';
        input: unknown;
        rawInput?: unknown;
        errorText: string;
        approval?: SentApproval<true>;
        resultProviderMetadata?: ProviderData;
      }
    | { state: 'output-denied'; input: unknown; approval: SentApproval<false> }
  );

interface RequestedApproval {
  id: string;
  /** Proves that the server requested the approval. */
  signature?: string;
  descriptor?: unknown;
  requestReason?: string;
  isAutomatic?: boolean;
  inputSchemaInput?: unknown;
}

interface SentApproval<Approved extends boolean> extends RequestedApproval {
  approved: Approved;
  reason?: string;
  /** The arguments with which a person has approved the call, in place of those of the model. */
  input?: unknown;
}

/** Data that an app adds. */
export interface DataPart {
  type: `data-${string}`;
  id?: string;
  data: unknown;
}

/** Content that is specific to one provider. */
export interface CustomPart {
  type: 'custom';
  kind: `${string}.${string}`;
  providerMetadata?: ProviderData;
}

/** A message of the user that was sent during the reply. */
export interface SteeringPart {
  type: 'steering-message';
  id: string;
  parts: (TextPart | FilePart)[];
}

/** Provider-specific data by provider name. Clients send it back unchanged. */
type ProviderData = Record<string, JsonFields>;

interface JsonFields {
  [key: string]: JsonField | undefined;
}

type JsonField = string | number | boolean | null | readonly JsonField[] | Readonly<JsonFields>;
