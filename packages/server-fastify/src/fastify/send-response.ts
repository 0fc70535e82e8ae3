import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';

/** Sends what an exchange answers, as it comes; resolves when all is sent or the client is gone. Hooks that ran before may have set headers. */
export async function sendResponse(reply: FastifyReply, response: Response): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) {
    await response.body?.cancel();
    return;
  }
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    raw.end();
    return;
  }
  raw.flushHeaders();
  try {
    await pipeline(response.body, raw);
  } catch (error) {
    // Where the client left, nobody is there to be told; where the answer broke off, breaking the connection says so.
    if (!raw.destroyed) raw.destroy(error instanceof Error ? error : undefined);
  }
}
