import { createHmac } from 'node:crypto';
import { agentId, conversationIds, prompts, userId, workflowId, workflowInput } from '../apps/workload.ts';

/** Requests as bytes, built once. */

export function get(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
}

/** @param secret signs the token of the request; without it the request has no token. */
export function generate(route: 'text' | 'stream', input: string, secret?: string): Buffer {
  const authorization = secret === undefined ? '' : `authorization: Bearer ${signedToken(secret)}\r\n`;
  return post(`/agents/${agentId}/${route}`, { input }, authorization);
}

export const listConversations: Buffer = get(`/api/memory/conversations?userId=${userId}&limit=20`);

/** One text request for each conversation. */
export function remember(): Buffer[] {
  return conversationIds.map((conversationId) =>
    post(`/agents/${agentId}/text`, { input: prompts.remembered, options: { userId, conversationId } }),
  );
}

export function runWorkflow(route: 'execute' | 'stream'): Buffer {
  return post(`/workflows/${workflowId}/${route}`, { input: workflowInput });
}

/** A JSON Web Token (HS256) that expires after an hour. */
function signedToken(secret: string): string {
  const now = Math.floor(Date.now() / 1000);
  const encoded = [
    { alg: 'HS256', typ: 'JWT' },
    { sub: userId, iat: now, exp: now + 3600 },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = createHmac('sha256', secret).update(encoded.join('.')).digest('base64url');
  return [...encoded, signature].join('.');
}

function post(path: string, content: object, headers = ''): Buffer {
  const body = JSON.stringify(content);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`,
  );
}
