import type { JsonObject } from '@halyard/contracts';
import type { RequestedFormat } from './script.ts';

/** A request that the server received. */
export interface RecordedRequest {
  /** 1 for the first request to this server. The ids in its answer contain it. */
  readonly number: number;
  /** With the query, such as `/v1/responses`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /**
   * The generation settings in the body, under the provider's names: everything but the
   * conversation, the tools, the output format and how the answer travels.
   * `{ temperature: 0.2, max_output_tokens: 100 }`; `{}` when no setting was sent.
   */
  readonly settings: JsonObject;
  /** The requested JSON schema, if any. */
  readonly format: RequestedFormat | undefined;
  /** Whether the client disconnected before the end of the answer. */
  readonly aborted: boolean;
  /** Resolves at the end of the exchange, with or without an answer. Then `aborted` is final. */
  readonly ended: Promise<void>;
  /** Closes the socket at once, like a network failure. */
  breakOff(): void;
}
