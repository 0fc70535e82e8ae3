import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../harness/http-client.ts';
import type { Target } from '../harness/target.ts';
import { signToken } from '../harness/tokens.ts';
import { makeThing, markers } from './things.ts';

export interface Attempts {
  readonly count: number;
  readonly findings: readonly string[];
}

/** Bob calls the tools of the MCP server, and names Ada wherever a tool may read a user. */
export async function mcpFindings(target: Target): Promise<Attempts> {
  const findings: string[] = [];
  await makeThing(target, 'conversation', 'ada');
  const thing = await makeThing(target, 'execution', 'ada');
  const claims = { userId: 'ada', user: { id: 'ada' }, context: { userId: 'ada' }, options: { userId: 'ada' } };
  const calls: readonly (readonly [string, object, RegExp])[] = [
    ['whoami', {}, /caller=bob/],
    ['whoami', claims, /caller=bob|"isError":true/],
    ['ask_parrot', { task: 'What do you know of roses?' }, /texts/],
    ['ask_parrot', { task: 'roses?', conversationId: thing.id, ...claims }, /texts|"isError":true/],
    ['run_approval', { total: 1, executionId: thing.id, ...claims }, /suspended|waits|"isError":true|executionId/],
  ];
  for (const [name, args, expected] of calls) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, _meta: claims },
    });
    const headers = {
      ...target.headersOf('bob'),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      'mcp-session-id': 'of-ada',
      'x-user-id': 'ada',
    };
    const reply = await send(target, { method: 'POST', path: '/mcp/own', headers, body });
    const what = `MCP ${name}(${JSON.stringify(args)}): ${reply.status} ${reply.body.slice(0, 300)}`;
    if (reply.status !== 200 || !expected.test(reply.body.replaceAll('\\"', '"'))) findings.push(`unexpected: ${what}`);
    if (markers.some((marker) => reply.body.includes(marker)) || /caller=ada/.test(reply.body))
      findings.push(`reveals Ada's data: ${what}`);
  }
  return { count: calls.length, findings };
}

/** How long the sockets are listened to after Ada's runs. */
const listenMs = 1_000;

/** In legacy mode, users may follow logs and spans with their token: each user only their own. */
export async function socketFindings(target: Target): Promise<Attempts> {
  const findings: string[] = [];
  const token = signToken({ sub: 'bob' });
  const paths = ['/ws/logs?level=trace&', '/ws/logs?executionId=thing-1&', '/ws/observability?', '/ws?'];
  const received: string[] = [];
  const sockets = paths.map((path) => {
    const socket = new WebSocket(`${target.origin.replace('http', 'ws')}${path}userId=ada&token=${token}`);
    socket.addEventListener('message', ({ data }) => received.push(`${path} ${String(data)}`));
    socket.addEventListener('open', () => {
      if (path.startsWith('/ws/logs')) socket.send('{"type":"updateFilter","filter":{"level":"trace","userId":"ada"}}');
    });
    return socket;
  });
  await delay(listenMs / 2);
  await makeThing(target, 'execution', 'ada');
  await makeThing(target, 'remembered', 'ada');
  await send(target, {
    method: 'POST',
    path: '/agents/plain/text',
    headers: target.headersOf('ada'),
    body: JSON.stringify({ input: `What of ${markers[0]}?` }),
  });
  await delay(listenMs);
  for (const socket of sockets) socket.close();
  for (const text of received) {
    const isOfAda =
      markers.some((marker) => text.includes(marker)) || /"(?:userId|enduser\.id|user\.id)":"ada"/.test(text);
    if (isOfAda) findings.push(`a WebSocket reveals Ada's data: ${text.slice(0, 400)}`);
  }
  if (received.length < 3) findings.push(`only ${received.length} messages were received from the WebSockets`);
  return { count: received.length, findings };
}
