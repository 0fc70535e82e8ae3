import type { AcceptsUndefined } from './accepts-undefined.ts';
import type { ToolTypes } from './app-types.ts';
import type { CallOptions } from './client-options.ts';
import type { Connection } from './connection.ts';
import { received } from './received.ts';
import type { components } from './schema.ts';

/** `userId`, `conversationId` and `context` of the call. */
export type ExecuteOptions = AcceptsUndefined<Omit<components['schemas']['ToolExecutionRequest'], 'input'>> &
  CallOptions;

/** One tool of the server. */
export class ToolClient<Types extends ToolTypes = ToolTypes> {
  readonly name: string;
  readonly #connection: Connection;

  constructor(name: string, connection: Connection) {
    this.name = name;
    this.#connection = connection;
  }

  /** Runs the tool directly. @throws FailedError when it fails; ApiError, ConnectionError */
  async execute(input: Types['input'], { signal, ...options }: ExecuteOptions = {}): Promise<Types['output']> {
    const { data } = await this.#connection.api.POST('/tools/{name}/execute', {
      params: { path: { name: this.name } },
      body: { input, ...options },
      signal,
    });
    return received(data).data.result;
  }
}
