import { agentId } from '../apps/workload.ts';

/** Requests as the bytes that travel, built once. */

export function get(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
}

export function generate(route: 'text' | 'stream', input: string): Buffer {
  const body = JSON.stringify({ input });
  return Buffer.from(
    `POST /agents/${agentId}/${route} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}
