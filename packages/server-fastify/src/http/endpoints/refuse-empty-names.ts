import type { FastifyInstance } from 'fastify';
import { invalidRequest } from '../errors/to-failure.ts';
import { sendFailure } from './send-failure.ts';

/**
 * Replies 404 to paths such as `/agents/`, which the router of an app that uses the plugin takes
 * for `/agents/:id` with an empty id. The router of `createServer` ignores a slash at the end.
 */
export function refuseEmptyNames(scope: FastifyInstance): void {
  scope.addHook('onRequest', (request, reply, done) => {
    const { method, params, routeOptions } = request;
    const { parent, last } = /^(?<parent>.+)\/:(?<last>\w+)$/.exec(routeOptions.url ?? '')?.groups ?? {};
    if (parent === undefined || last === undefined || Reflect.get(Object(params), last) !== '') return done();

    const path = request.url.split(/[?#]/, 1)[0] ?? '';
    const isRoute = request.server.hasRoute({ method, url: parent });
    const advice = isRoute ? `: write ${path.replace(/\/+$/, '')}, without the slash at its end` : '';
    sendFailure(reply, invalidRequest('ROUTE_NOT_FOUND', `No route for ${method} ${path}${advice}`, 404));
  });
}
