import type { JsonObject } from '@halyard/contracts';
import type { RequestedFormat } from './script.ts';

/** One request as it reached the wire. */
export interface RecordedRequest {
  /** 1 for the first request to this server; ids in its answer are made of it. */
  readonly number: number;
  /** With the query, such as `/v1/responses`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /**
   * The generation settings in the body, under the provider's names: everything but the conversation, the tools, the output
   * format and how the answer travels. `{ temperature: 0.2, max_output_tokens: 100 }`; `{}` when no setting was sent.
   */
  readonly settings: JsonObject;
  /** The JSON schema it asked for; undefined when it asked for none. */
  readonly format: RequestedFormat | undefined;
  /** Whether the client left before the answer had ended. */
  readonly aborted: boolean;
  /** Resolves when the exchange is over, answered or not: from then on `aborted` is final. */
  readonly ended: Promise<void>;
  /** Closes the socket now, as a failing network would. */
  breakOff(): void;
}
