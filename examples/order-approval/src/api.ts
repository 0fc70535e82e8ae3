/** A failed request: status, code and message of the server's answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The stable code of the header `x-error-code`. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An event of an execution's stream. Live events, which are not stored, have no `seq`. */
export interface StreamEvent {
  readonly type: string;
  readonly from: string;
  readonly executionId: string;
  readonly seq?: number;
  readonly [field: string]: unknown;
}

/** A minimal HTTP client for this example. */
export class Api {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** @returns the `data` of the answer. @throws ApiError */
  async get<Data>(path: string): Promise<Data> {
    return readData<Data>(await fetch(`${this.#url}${path}`));
  }

  /** @returns the `data` of the answer. @throws ApiError */
  async post<Data>(path: string, body: unknown): Promise<Data> {
    return readData<Data>(await this.#post(path, body));
  }

  /**
   * Streams the events of a request until the execution is suspended or finished. @throws ApiError
   */
  async *postStream(path: string, body: unknown): AsyncGenerator<StreamEvent, void, undefined> {
    yield* readEvents(await this.#post(path, body));
  }

  /**
   * Streams the events of an execution after `lastEventId` until it is suspended or finished.
   * @throws ApiError
   */
  async *attach(path: string, lastEventId: number): AsyncGenerator<StreamEvent, void, undefined> {
    yield* readEvents(await fetch(`${this.#url}${path}`, { headers: { 'last-event-id': String(lastEventId) } }));
  }

  #post(path: string, body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${this.#url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }
}

async function readData<Data>(response: Response): Promise<Data> {
  if (!response.ok) throw await toApiError(response);
  const { data } = (await response.json()) as { readonly data: Data };
  return data;
}

async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void, undefined> {
  if (!response.ok || response.body === null) throw await toApiError(response);
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

async function toApiError(response: Response): Promise<ApiError> {
  const { error } = (await response.json()) as { readonly error: string };
  return new ApiError(response.status, response.headers.get('x-error-code') ?? '', error);
}
