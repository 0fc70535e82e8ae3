import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { isEnabled } from '../../runtime/logging/log-levels.ts';
import { requestAnswered } from '../../runtime/logging/pretty-format.ts';
import { withoutQueryValues } from './redact-logs.ts';
import { requestFields, type RequestUsers } from './request-fields.ts';

/**
 * Logs one line per request when the reply is sent: of the reads of a client that polls with level
 * `debug`, because an open console must not fill the log. Does nothing if the level excludes `info`.
 */
export class RequestLog extends LogController {
  readonly #users: RequestUsers;

  constructor(users: RequestUsers) {
    super({ requestIdLogLabel: 'requestId' });
    this.#users = users;
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { log } = request;
    if (!isEnabled(log, 'info')) return;
    const fields = requestFields(request, reply, this.#users);
    log[fields.client === undefined ? 'info' : 'debug'](
      {
        method: request.method,
        route: request.routeOptions.url,
        url: withoutQueryValues(request.url),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 100) / 100,
        remoteAddress: request.ip,
        ...fields,
        ...(error && { err: error }),
      },
      requestAnswered,
    );
  }
}
