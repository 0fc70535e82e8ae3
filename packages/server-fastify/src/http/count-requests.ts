import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerMetrics } from '../runtime/metrics/server-metrics.ts';

/**
 * The status of a request whose client left before the reply began. Nothing is sent then; the
 * number is that of nginx.
 */
export const clientClosedRequest = 499;

/**
 * Counts and measures each request when its connection no longer needs it: after the last byte, or
 * when the client has left.
 */
export function countRequests(
  metrics: ServerMetrics,
): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void {
  return (request, reply, done) => {
    const startedAt = monotonicMs();
    const { raw } = reply;
    raw.once('close', () => {
      // The connection has become a WebSocket.
      if (request.ws && !raw.headersSent) return;
      metrics.requestEnded({
        method: request.method,
        route: request.routeOptions.url,
        status: raw.headersSent ? raw.statusCode : clientClosedRequest,
        reason: readCode(reply),
        durationMs: monotonicMs() - startedAt,
      });
    });
    done();
  };
}

function readCode(reply: FastifyReply): string | undefined {
  const code = reply.getHeader('x-error-code');
  return typeof code === 'string' ? code : undefined;
}

function monotonicMs(): number {
  // oxlint-disable-next-line halyard/no-wall-clock -- not the time of day
  return performance.now();
}
