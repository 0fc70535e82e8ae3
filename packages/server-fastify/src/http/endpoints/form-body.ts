import type { FastifyInstance } from 'fastify';
import type { BytesInProgress } from '../../admission/bytes-in-progress.ts';
import type { AnyEndpoint } from '../../api/define/endpoint.ts';

/** Whether the body is that of an HTML form. */
export function takesForm(endpoint: AnyEndpoint): boolean {
  return endpoint.kind === 'page' && endpoint.accepts === 'form';
}

/**
 * Accepts the bodies of HTML forms, and no JSON. Pages of other sites can send forms without asking,
 * so the endpoints accept only signed ones.
 */
export function acceptForms(app: FastifyInstance, inProgress: BytesInProgress): void {
  app.removeAllContentTypeParsers();
  const type = 'application/x-www-form-urlencoded';
  app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, bytes, done) => {
    inProgress.received(request, bytes.length);
    // A field that is sent twice counts once: the last.
    done(null, Object.fromEntries(new URLSearchParams(bytes.toString())));
  });
}
