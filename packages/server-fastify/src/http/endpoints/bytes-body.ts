import type { FastifyInstance } from 'fastify';
import type { BytesInProgress } from '../../admission/bytes-in-progress.ts';
import type { AnyEndpoint } from '../../api/define/endpoint.ts';

/** Whether the handler gets the bytes of the body. */
export function takesBytes(endpoint: AnyEndpoint): boolean {
  return endpoint.kind === 'route' && endpoint.accepts === 'bytes';
}

/** Accepts bodies of any type as they are: signatures are about their bytes. */
export function acceptBytes(app: FastifyInstance, inProgress: BytesInProgress): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    inProgress.received(request, bytes.length);
    done(null, bytes);
  });
}
