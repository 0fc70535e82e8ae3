/**
 * Loaded into the app by `halyard openapi`: when the app would listen, sends its OpenAPI document
 * to the parent process and ends.
 */
import type { FastifyInstance } from 'fastify';
import { followApps, pathEndingWith } from './follow-apps.ts';

/** The message that the parent process receives. */
export interface SentDocument {
  /** Undefined: the app has no route for the document. */
  readonly status?: number;
  readonly body: string;
}

followApps((app, paths) => {
  const listen = async (): Promise<string> => {
    await send(await readDocument(app, paths));
    await app.close();
    process.disconnect();
    return '';
  };
  Object.defineProperty(app, 'listen', { value: listen });
});

async function readDocument(app: FastifyInstance, paths: readonly string[]): Promise<SentDocument> {
  await app.ready();
  const path = pathEndingWith(paths, '/doc');
  if (path === undefined) return { body: '' };
  const key = process.env['SERVICE_CONSOLE_ACCESS_KEY'];
  const headers = key === undefined || key === '' ? { 'x-service-dev': 'true' } : { 'x-console-access-key': key };
  const { body, statusCode } = await app.inject({ url: path, headers });
  return { status: statusCode, body };
}

function send(document: SentDocument): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.send?.(document, undefined, {}, () => resolve());
  return promise;
}
