import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span in OTLP/JSON, https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly {
    readonly name: string;
    readonly timeUnixNano: string;
    readonly attributes: readonly OtlpAttribute[];
  }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: number; readonly message?: string };
}

export interface OtlpLog {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly OtlpAttribute[];
  readonly traceId?: string;
  readonly spanId?: string;
}

export interface OtlpMetric {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly OtlpPoint[] };
  readonly gauge?: { readonly dataPoints: readonly OtlpPoint[] };
  readonly histogram?: { readonly dataPoints: readonly OtlpPoint[] };
}

export interface OtlpPoint {
  readonly attributes: readonly OtlpAttribute[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly sum?: number;
  readonly count?: number;
  readonly explicitBounds?: readonly number[];
  readonly bucketCounts?: readonly number[];
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}

interface OtlpBody {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly scope: { readonly name: string }; readonly spans: readonly OtlpSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string };
      readonly metrics: readonly OtlpMetric[];
    }[];
  }[];
  readonly resourceLogs?: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly OtlpLog[] }[] }[];
}

interface ReceiverOptions {
  readonly answers?: boolean | undefined;
  readonly reads?: 'json' | 'bytes' | undefined;
}

/**
 * A collector that receives traces and logs over OTLP/HTTP as JSON, on a free port of this machine.
 */
export class OtlpReceiver implements AsyncDisposable {
  readonly url: string;
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly bytes: Buffer;
    readonly body: OtlpBody;
  }[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
  }

  /**
   * @param options `answers: false`: it never replies. `reads: 'bytes'`: requests are not parsed as
   * JSON.
   */
  static async listen({ answers = true, reads = 'json' }: ReceiverOptions = {}): Promise<OtlpReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      void buffer(request).then((bytes) => {
        const body: unknown = reads === 'json' ? JSON.parse(bytes.toString()) : {};
        receiver.requests.push({ path: request.url ?? '', headers: request.headers, bytes, body: body as OtlpBody });
        if (answers) response.end(reads === 'json' ? '{}' : '');
      });
    });
    return receiver;
  }

  get spans(): readonly OtlpSpan[] {
    const scopes = this.requests
      .flatMap(({ body }) => body.resourceSpans ?? [])
      .flatMap(({ scopeSpans }) => scopeSpans);
    return scopes.flatMap(({ spans }) => spans);
  }

  get resource(): Record<string, unknown> {
    return plain(this.requests.flatMap(({ body }) => body.resourceSpans ?? [])[0]?.resource.attributes ?? []);
  }

  get logs(): readonly OtlpLog[] {
    const scopes = this.requests.flatMap(({ body }) => body.resourceLogs ?? []).flatMap(({ scopeLogs }) => scopeLogs);
    return scopes.flatMap(({ logRecords }) => logRecords);
  }

  get metrics(): readonly OtlpMetric[] {
    const scopes = this.requests
      .flatMap(({ body }) => body.resourceMetrics ?? [])
      .flatMap(({ scopeMetrics }) => scopeMetrics);
    return scopes.flatMap(({ metrics }) => metrics);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Attributes by name, with their original values. */
export function plain(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue({ arrayValue, boolValue, doubleValue, intValue, stringValue }: OtlpValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plainValue);
  return stringValue ?? doubleValue ?? boolValue ?? Number(intValue);
}
