import type { AccessLevel } from '@halyard/core';
import type { McpServer, McpToolKind } from '@halyard/core/server';
import { type TSchema, Type } from '@sinclair/typebox';
import { AccessRefusedError } from '../../../access/access-refused-error.ts';
import { identify } from '../../../access/identity.ts';
import { isReachable } from '../../../access/targets.ts';
import { mcpServerNotFound } from '../../../runtime/services/mcp-servers.ts';
import type { PublicAddress } from '../../../runtime/services/public-address.ts';
import { defineExchange } from '../../define/define-exchange.ts';
import { definePage } from '../../define/define-page.ts';
import { type Call, defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import { IdParams } from '../common-schemas.ts';
import { agentCard } from './agent-card.ts';
import { AgentCard, McpServerParams, McpServerSummary, McpToolSummary } from './schemas.ts';

const common = { method: 'GET', tier: 'console', tag: 'Discovery' } as const;
/**
 * MCP's Streamable HTTP. `POST` is for messages; the other methods are for sessions, which are not
 * supported.
 */
const mcp = {
  url: '/mcp/:serverId',
  tier: 'user',
  tag: 'Discovery',
  params: McpServerParams,
  failures: [404],
} as const;

export const discoveryRoutes = [
  definePage({
    ...common,
    url: '/agents/:id/card',
    operationId: 'getAgentCard',
    summary: 'Get an agent as an A2A 1.0 agent card',
    description: 'The reply has no envelope, so that A2A clients can read it.',
    params: IdParams,
    failures: [404],
    contentType: 'application/json; charset=utf-8',
    content: AgentCard,
    handler: ({ caller, forwarded, params }, { registry, site }) => ({
      body: JSON.stringify(agentCard(registry.getAgent(params.id), caller, site.addressFor(forwarded))),
    }),
  }),
  defineRoute({
    ...common,
    url: '/mcp/servers',
    operationId: 'listMcpServers',
    summary: 'List the registered MCP servers',
    data: Type.Array(McpServerSummary),
    handler: ({ forwarded }, { mcpServers, site }) =>
      mcpServers.all.map((server) => summarize(server, site.addressFor(forwarded))),
  }),
  defineRoute({
    ...common,
    url: '/mcp/servers/:serverId',
    operationId: 'getMcpServer',
    summary: 'Get an MCP server',
    params: McpServerParams,
    failures: [404],
    data: McpServerSummary,
    handler: ({ forwarded, params }, { mcpServers, site }) =>
      summarize(mcpServers.get(params.serverId), site.addressFor(forwarded)),
  }),
  defineRoute({
    ...common,
    url: '/mcp/servers/:serverId/tools',
    operationId: 'listMcpTools',
    summary: 'List the tools of an MCP server',
    description: 'Requests the list from an external server: 503 if it is unreachable.',
    params: McpServerParams,
    failures: [404],
    data: Type.Array(McpToolSummary),
    handler: async ({ caller, params, signal }, { mcpServers }) => {
      const server = mcpServers.get(params.serverId);
      const tools = (await server.listTools({ signal })).filter(({ name }) =>
        isReachable(readAccess(server, name), caller),
      );
      return tools.map(({ description, inputSchema, name, outputSchema }) => ({
        name,
        description,
        inputSchema,
        outputSchema,
      }));
    },
  }),
  defineExchange({
    ...mcp,
    method: 'POST',
    operationId: 'sendMcpMessage',
    summary: 'Send a message to an MCP server',
    handler: (call, services) => exchangeMcp('POST', call, services),
  }),
  defineExchange({
    ...mcp,
    method: 'GET',
    operationId: 'openMcpStream',
    summary: 'Refused: sessions are not supported',
    handler: (call, services) => exchangeMcp('GET', call, services),
  }),
  defineExchange({
    ...mcp,
    method: 'DELETE',
    operationId: 'endMcpSession',
    summary: 'Refused: sessions are not supported',
    handler: (call, services) => exchangeMcp('DELETE', call, services),
  }),
];

function summarize(server: McpServer, address: PublicAddress): McpServerSummary {
  const { description, id, name, transport, url, version } = server;
  const isServedHere = server.handle !== undefined;
  return {
    id,
    name,
    version,
    description,
    transport,
    url: isServedHere ? toAddress(id, address) : (url ?? null),
    isServedHere,
  };
}

async function exchangeMcp(
  method: string,
  call: Call<typeof McpServerParams, TSchema, TSchema>,
  { mcpServers, requirementOf, agentServices, site, storedCallerKey, workflows }: Services,
): Promise<Response> {
  const { body, caller, forwarded, headers, params, signal, traceParent } = call;
  const server = mcpServers.get(params.serverId);
  // External servers are not proxied.
  if (server.handle === undefined) throw mcpServerNotFound(params.serverId);
  checkCalls(server, call, requirementOf);
  const url = toAddress(server.id, site.addressFor(forwarded));
  const request = new Request(url, { method, headers: protocolHeaders(headers), signal });
  const { userId } = identify(caller, {});
  return server.handle({
    request,
    body,
    user: caller.user,
    userId,
    subject: storedCallerKey(caller),
    isOperator: caller.isOperator === true,
    traceParent,
    services: agentServices,
    workflows,
  });
}

/** The routes that run the same as a tool of an MCP server. */
const routeOf = {
  agent: '/agents/:id/text',
  tool: '/tools/:name/execute',
  workflow: '/workflows/:id/execute',
} as const satisfies Record<McpToolKind, string>;

/**
 * Refuses calls that the caller may not make: calls that the app has reserved for the console,
 * without the key; and in legacy mode, calls that need a token, without one.
 *
 * @throws AccessRefusedError
 */
function checkCalls(
  server: McpServer,
  { body, caller }: Pick<Call<TSchema, TSchema, TSchema>, 'body' | 'caller'>,
  requirementOf: Services['requirementOf'],
): void {
  const own = requirementOf('POST', mcp.url);
  // The access control has checked the key; or the caller is a developer, without any credential.
  if (own === 'console' || (own === 'user' && caller.user === undefined)) return;
  for (const name of calledTools(body)) {
    // A tool that the caller cannot reach gets the reply for an unknown tool.
    const kind = isReachable(readAccess(server, name), caller) ? server.kindOf?.(name) : undefined;
    if (kind === undefined && server.kindOf !== undefined) continue;
    const needed = kind === undefined ? 'user' : requirementOf('POST', routeOf[kind]);
    if (needed === 'console') throw AccessRefusedError.console(false);
    if (needed === 'user' && caller.isUnauthorized === true) throw AccessRefusedError.missing(false);
  }
}

function readAccess(server: McpServer, toolName: string): { readonly access: AccessLevel } {
  return { access: server.accessOf?.(toolName) ?? 'users' };
}

/**
 * The tools that a message calls. Earlier versions of the protocol allow several messages in one
 * body.
 */
function calledTools(body: unknown): readonly string[] {
  return [body].flat().flatMap((message: unknown) => {
    if (!isObject(message) || message['method'] !== 'tools/call' || !isObject(message['params'])) return [];
    const { name } = message['params'];
    return typeof name === 'string' ? [name] : [];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The headers that the protocol needs, without credentials. */
function protocolHeaders(sent: unknown): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent ?? {})) {
    const isNeeded = name === 'accept' || name === 'content-type' || name.startsWith('mcp-');
    if (isNeeded && typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

function toAddress(id: string, { url }: PublicAddress): string {
  return `${url}/mcp/${id}`;
}
