import type { FastifyInstance } from 'fastify';
import { reportListening } from './report-listening.ts';

/** Serves an app on a free port of 127.0.0.1 and reports the port to the harness. */
export async function listen(app: FastifyInstance): Promise<void> {
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  reportListening(Number(new URL(address).port));
}
