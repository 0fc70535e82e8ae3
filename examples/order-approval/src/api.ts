/** The server's answer to a request that it did not fulfil. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Stable: what `x-error-code` said. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An event of an execution, as a stream brings it. Those without `seq` are only live. */
export interface StreamEvent {
  readonly type: string;
  readonly from: string;
  readonly executionId: string;
  readonly seq?: number;
  readonly [field: string]: unknown;
}

/** As little of a client as this example needs. */
export class Api {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** What the server has in `data`. @throws ApiError */
  async get<Data>(path: string): Promise<Data> {
    return dataOf<Data>(await fetch(`${this.#url}${path}`));
  }

  /** @throws ApiError */
  async post<Data>(path: string, body: unknown): Promise<Data> {
    return dataOf<Data>(await this.#post(path, body));
  }

  /** Events as they come, until the execution is at rest. @throws ApiError */
  async *postStream(path: string, body: unknown): AsyncGenerator<StreamEvent, void, undefined> {
    yield* eventsOf(await this.#post(path, body));
  }

  /** The events of an execution after `lastEventId`, until it is at rest. @throws ApiError */
  async *attach(path: string, lastEventId: number): AsyncGenerator<StreamEvent, void, undefined> {
    yield* eventsOf(await fetch(`${this.#url}${path}`, { headers: { 'last-event-id': String(lastEventId) } }));
  }

  #post(path: string, body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${this.#url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }
}

async function dataOf<Data>(response: Response): Promise<Data> {
  if (!response.ok) throw await failureOf(response);
  const { data } = (await response.json()) as { readonly data: Data };
  return data;
}

async function* eventsOf(response: Response): AsyncGenerator<StreamEvent, void, undefined> {
  if (!response.ok || response.body === null) throw await failureOf(response);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as StreamEvent;
    }
  }
}

async function failureOf(response: Response): Promise<ApiError> {
  const { error } = (await response.json()) as { readonly error: string };
  return new ApiError(response.status, response.headers.get('x-error-code') ?? '', error);
}
