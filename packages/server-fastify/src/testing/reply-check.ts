import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { pagesForPeople } from '../api/routes/documents/pages-for-people.ts';

interface Header {
  /** Default: true. */
  readonly required?: boolean;
  readonly schema: object;
}

interface DocumentedReply {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DocumentedReply>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface SeenReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined for a reply to HEAD. */
  readonly body: string | undefined;
}

/**
 * The statuses that `default` documents, which any request may get. Every other failure must be
 * documented by its own status.
 */
const anywhere: ReadonlySet<number> = new Set([400, 401, 403, 408, 414, 429, 431, 500]);

/**
 * Validates replies against an OpenAPI document, and records which documented replies have
 * occurred.
 */
export class ReplyCheck {
  /** Such as `GET /agents/{id} 404`. */
  readonly seen = new Set<string>();
  readonly #document: ApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv.addSchema(closed(document) as object, 'api');
  }

  get documented(): ReadonlySet<string> {
    return new Set(
      Object.entries(this.#document.paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { responses }]) =>
          Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
        ),
      ),
    );
  }

  /** The path of the document that a request matches. */
  pathOf(method: string, url: string): string | undefined {
    // The server ignores a slash at the end.
    const path = (url.split('?', 1)[0] ?? '').replace(/(.)\/$/, '$1');
    return Object.keys(this.#document.paths)
      .filter(
        (template) =>
          this.#operation(method, template) !== undefined && matches(template.replace(/(.)\/$/, '$1'), path),
      )
      .toSorted((a, b) => countParameters(a) - countParameters(b))[0];
  }

  /** The fault of a reply, if any. */
  fault(method: string, path: string | undefined, reply: SeenReply): string | undefined {
    if (path === undefined) return this.#faultOfUnknown(reply);
    const responses = this.#operation(method, path)?.responses ?? {};
    const status = String(reply.status) in responses ? String(reply.status) : 'default';
    if (status === 'default' && !anywhere.has(reply.status)) return `status ${reply.status} is not documented`;
    // The documents of tests describe a server without access control.
    if (status === 'default' && isKeyPage(path, reply)) return undefined;
    const documented = responses[status];
    if (documented === undefined) return 'has no default answer';
    if (method !== 'HEAD') this.seen.add(`${method} ${path} ${status}`);
    const at = `api#/paths/${pointer(path)}/${keyOf(method)}/responses/${status}`;
    return this.#faultOfHeaders(documented, reply, at) ?? this.#faultOfBody(documented, reply, at);
  }

  #operation(method: string, path: string): Operation | undefined {
    return this.#document.paths[path]?.[keyOf(method)];
  }

  #faultOfUnknown({ body, headers, status }: SeenReply): string | undefined {
    if (status < 400 || body === undefined) return undefined;
    if (typeof headers['x-error-code'] !== 'string') return 'failure without x-error-code';
    return this.#mismatch(body, 'api#/components/schemas/Failure');
  }

  #faultOfHeaders({ headers = {} }: DocumentedReply, reply: SeenReply, at: string): string | undefined {
    for (const [name, { required = true, schema }] of Object.entries(headers)) {
      const text = reply.headers[name];
      if (text === undefined && !required) continue;
      if (text === undefined) return `header ${name} is missing`;
      const value = 'type' in schema && schema.type === 'integer' ? Number(text) : text;
      const fault = this.#invalid(value, `${at}/headers/${name}/schema`);
      if (fault !== undefined) return `header ${name}: ${fault}`;
    }
    return undefined;
  }

  #faultOfBody({ content = {} }: DocumentedReply, { body, headers }: SeenReply, at: string): string | undefined {
    if (Object.keys(content).length === 0) return body === undefined || body === '' ? undefined : 'has a body';
    const type = String(headers['content-type']).split(';', 1)[0] ?? '';
    if (!(type in content)) return `content type ${type} is not documented`;
    if (body === undefined) return undefined;
    const schema = `${at}/content/${pointer(type)}/schema`;
    if (type === 'application/json') return this.#mismatch(body, schema);
    if (type !== 'text/event-stream') return this.#invalid(body, schema);
    if (body !== '' && !body.endsWith('\n\n')) return 'stream ends within an event';
    for (const frame of body.split('\n\n').slice(0, -1)) {
      if (frame.startsWith(': ') || frame === 'data: [DONE]') continue;
      const [, data] = /^(?:id: \d+\n)?data: ([^\n]*)$/.exec(frame) ?? [];
      const fault = data === undefined ? 'no data' : this.#mismatch(data, schema);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #mismatch(text: string, schema: string): string | undefined {
    try {
      const fault = this.#invalid(JSON.parse(text), schema);
      return fault && `${text.slice(0, 300)}: ${fault.slice(0, 900)}`;
    } catch {
      return `is not JSON: ${text.slice(0, 300)}`;
    }
  }

  #invalid(value: unknown, schema: string): string | undefined {
    const validate = this.#validators.get(schema) ?? this.#ajv.compile({ $ref: schema });
    this.#validators.set(schema, validate);
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors);
  }
}

/** The document with all listed properties exclusive, so that an undocumented field is a fault. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, closed(value)]));
  const isNamed = 'type' in part || 'required' in part;
  const isList = isNamed && 'properties' in part && Object.keys(part.properties ?? {}).length > 0;
  return isList && !('additionalProperties' in part) ? { ...copy, additionalProperties: false } : copy;
}

function keyOf(method: string): string {
  return method === 'HEAD' ? 'get' : method.toLowerCase();
}

function pointer(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at]);
}

function countParameters(template: string): number {
  return template.split('{').length;
}

function isKeyPage(path: string, { headers, status }: SeenReply): boolean {
  const isHtml = String(headers['content-type']).startsWith('text/html');
  return status === 401 && isHtml && [...pagesForPeople].some((page) => path.endsWith(page));
}
