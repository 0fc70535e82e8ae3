import { pipeline } from 'node:stream/promises';
import type { FastifyReply } from 'fastify';

/**
 * Streams the response of an exchange. Resolves when everything is sent or the client has
 * disconnected.
 */
export async function sendResponse(reply: FastifyReply, response: Response): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) {
    await response.body?.cancel();
    return;
  }
  // Headers that hooks have set, such as those of CORS.
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
    // If the client has disconnected, nothing is left to do. If the response failed, closing the
    // connection signals that.
    if (!raw.destroyed) raw.destroy(error instanceof Error ? error : undefined);
  }
}
