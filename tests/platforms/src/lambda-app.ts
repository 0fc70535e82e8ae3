import { createApp } from './app.ts';

/** An event of an HTTP API of API Gateway, or of a function URL. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: {
    readonly domainName: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
}

export const server = await createApp();

export async function handler(event: HttpEvent) {
  const { body, headers, isBase64Encoded, rawPath, rawQueryString, requestContext } = event;
  const { domainName, http } = requestContext;
  const request = new Request(`https://${domainName}${rawPath}?${rawQueryString}`, {
    method: http.method,
    headers,
    body: body === undefined ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  });
  const response = await server.fetch(request, { remoteAddress: http.sourceIp });
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
