import type { Route } from './api-document.ts';
import type { SampleRequest } from './sample-requests.ts';

/** The address of the server in samples. */
export const sampleOrigin = 'http://localhost:3141';

/** How the reply of a route is read. */
type Reply = 'json' | 'stream' | 'text';

/** The request in curl, TypeScript and Python, as fenced blocks. */
export function samplesOf(route: Route, request: SampleRequest): readonly string[] {
  return [
    fence('sh [curl]', curl(route, request)),
    fence('ts [TypeScript]', typescript(route, request)),
    fence('python [Python]', python(route, request)),
  ].flat();
}

function fence(language: string, lines: readonly string[]): readonly string[] {
  return ['', `\`\`\`${language}`, ...lines, '```'];
}

function replyOf({ operation: { responses } }: Route): Reply {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const [type = ''] = Object.keys(success?.content ?? {});
  if (type === 'text/event-stream') return 'stream';
  return type.startsWith('text/') ? 'text' : 'json';
}

function urlOf({ path }: Route, request: SampleRequest): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(request.path?.[name] ?? name));
  const query = Object.entries(request.query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${sampleOrigin}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

function curl(route: Route, request: SampleRequest): readonly string[] {
  const { method } = route;
  const hasBody = request.body !== undefined;
  const implied = hasBody ? 'POST' : 'GET';
  const options = [replyOf(route) === 'stream' ? '-sN' : '-s', ...(method === implied ? [] : ['-X', method])];
  const first = `curl ${options.join(' ')} '${urlOf(route, request)}'`;
  if (!hasBody) return [first];
  return [`${first} -H 'content-type: application/json' \\`, `  -d '${JSON.stringify(request.body)}'`];
}

function typescript(route: Route, request: SampleRequest): readonly string[] {
  const reply = replyOf(route);
  if (reply === 'text')
    return [`const reply = await fetch('${urlOf(route, request)}');`, 'console.log(await reply.text());'];
  const lines = request.typescript ?? (reply === 'stream' ? followed(route, request) : called(route, request));
  return [
    "import { createClient } from '@halyard/client';",
    '',
    `const client = createClient({ baseUrl: '${sampleOrigin}' });`,
    '',
    ...lines,
  ];
}

/** A call of the route itself. */
function called({ method, path }: Route, request: SampleRequest): readonly string[] {
  const options = optionsOf(request);
  const call = `client.api.${method}('${path}'`;
  const line = `const { data } = await ${call}${options === '' ? '' : `, ${options}`});`;
  if (line.length <= 100) return [line, 'console.log(data);'];
  return [
    `const { data } = await ${call}, {`,
    ...partsOf(request).map((part) => `  ${part},`),
    '});',
    'console.log(data);',
  ];
}

function followed({ path }: Route, request: SampleRequest): readonly string[] {
  return [
    `const { data } = await client.api.GET('${path}', {`,
    ...partsOf(request).map((part) => `  ${part},`),
    "  parseAs: 'stream',",
    '});',
    'for await (const bytes of data ?? []) process.stdout.write(bytes);',
  ];
}

function optionsOf(request: SampleRequest): string {
  const parts = partsOf(request);
  return parts.length === 0 ? '' : `{ ${parts.join(', ')} }`;
}

function partsOf({ body, path, query }: SampleRequest): readonly string[] {
  const params = { ...(path !== undefined && { path }), ...(query !== undefined && { query }) };
  return [
    ...(Object.keys(params).length > 0 ? [`params: ${literal(params)}`] : []),
    ...(body === undefined ? [] : [`body: ${literal(body)}`]),
  ];
}

/** A JavaScript literal. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${literal(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function python(route: Route, request: SampleRequest): readonly string[] {
  const reply = replyOf(route);
  const { method } = route;
  const { body } = request;
  const isPlain = method === 'GET';
  const url = urlOf(route, request);
  const needsJson = reply === 'json' || body !== undefined;
  return [
    ...(needsJson ? ['import json'] : []),
    `from urllib.request import ${isPlain ? 'urlopen' : 'Request, urlopen'}`,
    '',
    ...(isPlain ? [] : pythonRequest(method, url, body)),
    `with urlopen(${isPlain ? `"${url}"` : 'request'}) as response:`,
    ...readPython(reply, request),
  ];
}

function pythonRequest(method: string, url: string, body: object | undefined): readonly string[] {
  if (body === undefined) return [`request = Request("${url}", method="${method}")`];
  return [
    'request = Request(',
    `    "${url}",`,
    `    data=json.dumps(${pythonLiteral(body)}).encode(),`,
    '    headers={"content-type": "application/json"},',
    `    method="${method}",`,
    ')',
  ];
}

function readPython(reply: Reply, { status }: SampleRequest): readonly string[] {
  if (status === 204) return ['    print(response.status)'];
  if (reply === 'json') return ['    print(json.load(response))'];
  if (reply === 'text') return ['    print(response.read().decode())'];
  return ['    for line in response:', '        print(line.decode(), end="")'];
}

/** JSON, except for the names of three values. */
function pythonLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${pythonLiteral(field)}`);
    return `{${fields.join(', ')}}`;
  }
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
}
