import { agentId, conversationIds, prompts, userId, workflowId, workflowInput } from '../apps/workload.ts';

/** Requests as the bytes that travel, built once. */

export function get(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
}

export function generate(route: 'text' | 'stream', input: string): Buffer {
  return post(`/agents/${agentId}/${route}`, { input });
}

export const listConversations: Buffer = get(`/api/memory/conversations?userId=${userId}&limit=20`);

/** One request for each conversation. */
export function remember(): Buffer[] {
  return conversationIds.map((conversationId) =>
    post(`/agents/${agentId}/text`, { input: prompts.remembered, options: { userId, conversationId } }),
  );
}

export function runWorkflow(route: 'execute' | 'stream'): Buffer {
  return post(`/workflows/${workflowId}/${route}`, { input: workflowInput });
}

function post(path: string, content: object): Buffer {
  const body = JSON.stringify(content);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}
