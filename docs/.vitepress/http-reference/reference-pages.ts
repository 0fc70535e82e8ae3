import { type ApiDocument, type Operation, type Route, routesOf, type Schema } from './api-document.ts';
import { samplesOf } from './request-samples.ts';
import { sampleRequests } from './sample-requests.ts';
import { descriptionOf, fieldRows, typeOf } from './schema-types.ts';

/** The pages of the reference, by their file names. */
export function referencePages(document: ApiDocument): ReadonlyMap<string, string> {
  const routes = routesOf(document);
  const groups = document.tags.map(({ name }) => ({
    name,
    file: `${name.toLowerCase()}.md`,
    routes: routes.filter(({ operation }) => operation.tags[0] === name),
  }));
  return new Map([
    ['README.md', overview(groups)],
    ...groups.map(({ file, name, routes: own }) => [file, page(name, own)] as const),
    ['websockets.md', webSockets],
    ['schemas.md', schemas(document)],
  ]);
}

interface Group {
  readonly name: string;
  readonly file: string;
  readonly routes: readonly Route[];
}

function overview(groups: readonly Group[]): string {
  return joined([
    '# HTTP reference',
    '',
    'Every route of the server, with its parameters, replies, and a request in curl, TypeScript and Python. The samples run in our tests. TypeScript uses [`@halyard/client`](../client.md), Python only what it brings. Your own server describes itself, with the schemas of your workflows and tools, at `/doc`; [the server](../server.md) explains how the parts belong together.',
    '',
    'Each reply is `{ "success": true, "data": … }`, or `{ "success": false, "error": "…" }` with the code in the header `x-error-code`: [errors](../errors.md). With access control, send a user’s token as `Authorization: Bearer …` and the console key as `x-console-access-key: …`; without it, the samples work as they are. Events are sent as [server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html): one JSON object in each `data:` line.',
    ...groups.flatMap(({ file, name, routes }) => [
      '',
      `## [${name}](${file})`,
      '',
      '| route |  |',
      '| --- | --- |',
      ...routes.map((route) => `| ${routeLink(route, file)} | ${cell(route.operation.summary)} |`),
    ]),
    '',
    '## [WebSockets](websockets.md)',
    '',
    '`/ws` tests a connection, `/ws/logs` and `/ws/observability` send log lines, spans and log records as they are recorded.',
    '',
    '## [Schemas](schemas.md)',
    '',
    'The types of the bodies and the replies.',
  ]);
}

function routeLink({ method, operation, path }: Route, file: string): string {
  return `[\`${method} ${path}\`](${file}#${anchorOf(operation.summary)})`;
}

/** The anchor of a heading, as GitHub and VitePress form it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

function page(name: string, routes: readonly Route[]): string {
  const count = routes.length === 1 ? 'The route' : `The ${routes.length} routes`;
  const introduction = `${count} of this group, with parameters, replies and samples. [All groups](README.md).`;
  return joined([`# ${name}`, '', introduction, ...routes.flatMap(section)]);
}

function section(route: Route): readonly string[] {
  const { method, operation, path } = route;
  const request = sampleRequests[operation.operationId];
  return [
    '',
    `## ${operation.summary}`,
    '',
    `\`${method} ${path}\``,
    ...(operation.description === undefined ? [] : ['', operation.description]),
    '',
    `**Access:** ${accessTo(operation)}.`,
    ...parameters(operation),
    ...body(operation),
    '',
    `**Replies:** ${replies(operation)}`,
    ...(request === undefined ? [] : samplesOf(route, request)),
  ];
}

function accessTo({ security }: Operation): string {
  const names = (security ?? []).flatMap((alternative) => Object.keys(alternative));
  const credentials: string[] = [];
  if (names.includes('userToken')) credentials.push('a user’s token');
  if (names.includes('consoleKey')) credentials.push('the console key');
  return credentials.length === 0 ? 'everybody' : credentials.join(' or ');
}

function parameters({ parameters: all = [] }: Operation): readonly string[] {
  if (all.length === 0) return [];
  return [
    '',
    '| parameter | in | type |  |',
    '| --- | --- | --- | --- |',
    ...all.map(({ description, in: place, name, required, schema }) => {
      const isRequired = required === true && place !== 'path';
      return `| \`${name}\`${isRequired ? ', required' : ''} | ${place} | ${typeOf(schema)} | ${cell(descriptionOf({ ...schema, ...(description !== undefined && { description }) }))} |`;
    }),
  ];
}

function body({ requestBody }: Operation): readonly string[] {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined) return [];
  if (schema.$ref !== undefined) return ['', `**Body:** ${typeOf(schema)}`];
  return ['', '**Body:**', ...fieldTable(schema)];
}

function replies({ responses }: Operation): string {
  const statuses = Object.keys(responses).filter((status) => status !== 'default');
  const successes = statuses.filter((status) => /^[23]/.test(status));
  const failures = statuses.filter((status) => !successes.includes(status));
  const parts = successes.map((status) => `${status} ${successOf(responses[status]?.content)}`.trim());
  return [...parts, `[failures](../errors.md) ${failures.join(', ')}`].join('; ') + '.';
}

function successOf(content: Operation['responses'][string]['content']): string {
  const [success] = Object.entries(content ?? {});
  if (success === undefined) return 'without a body';
  const [type, media] = success;
  if (type === 'text/event-stream') return `with a stream of ${typeOf(media.schema)}`;
  if (!type.startsWith('application/json')) return `as \`${type}\``;
  const data = media.schema.properties?.['data'] ?? media.schema;
  return `with ${typeOf(data)}`;
}

function schemas({ components }: ApiDocument): string {
  const sections = Object.entries(components.schemas)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, schema]) => ['', `## ${name}`, ...schemaSection(schema)]);
  return joined(['# Schemas', '', 'The types of the bodies and the replies, by name.', ...sections]);
}

function schemaSection(schema: Schema): readonly string[] {
  const description = schema.description === undefined ? [] : ['', schema.description];
  if (schema.properties !== undefined) return [...description, ...fieldTable(schema)];
  const variants = (schema.anyOf ?? []).filter(({ properties }) => properties !== undefined);
  if (variants.length === 0) return [...description, '', typeOf(schema)];
  const others = (schema.anyOf ?? []).filter(({ properties }) => properties === undefined);
  return [
    ...description,
    '',
    'One of these:',
    ...variants.flatMap(fieldTable),
    ...(others.length === 0 ? [] : ['', `Or: ${others.map(typeOf).join(' or ')}`]),
  ];
}

function fieldTable(schema: Schema): readonly string[] {
  const rows = fieldRows(schema);
  if (rows.length === 0) return ['', 'An object.'];
  return [
    '',
    '| field | type |  |',
    '| --- | --- | --- |',
    ...rows.map(({ description, isRequired, name, type }) => {
      return `| \`${name}\`${isRequired ? '' : ', optional'} | ${type} | ${cell(description)} |`;
    }),
  ];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function joined(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

const webSockets = joined([
  '# WebSockets',
  '',
  'OpenAPI cannot describe WebSockets, so `/doc` does not list these. Messages are JSON. Browsers send no headers with the handshake: the credentials are in the query, `?key=…` for the console key and `?token=…` for a user’s token, and the client does this. [The server](../server.md#websockets) describes limits and what closes a connection.',
  ...[
    ['/ws', 'Test a connection', 'Confirms the connection, and echoes the JSON that it receives.'],
    [
      '/ws/approvals',
      'Follow requests for approval',
      'New requests that the caller may answer, and those that no longer wait.',
    ],
    ['/ws/logs', 'Follow the log', 'The newest lines, and then each line as it is written.'],
    ['/ws/observability', 'Follow spans and log records', 'The spans and log records of runs as they are recorded.'],
  ].flatMap(([path = '', title = '', text = '']) => [
    '',
    `## ${title}`,
    '',
    `\`WS ${path}\``,
    '',
    text,
    '',
    '```ts [TypeScript]',
    "import { createClient } from '@halyard/client';",
    '',
    "const client = createClient({ baseUrl: 'http://localhost:3141' });",
    '',
    `for await (const message of client.channel('${path}')) {`,
    '  console.log(message);',
    '  break; // closes the connection',
    '}',
    '```',
  ]),
  '',
  '## MCP',
  '',
  'The MCP servers of the app are at `/mcp/<id>`: JSON-RPC over streamable HTTP, for any MCP client. [MCP](../mcp.md) shows how to register and call one.',
]);
