import type { FastifyRequest } from 'fastify';
import type { StreamTickets } from '../../runtime/services/stream-tickets.ts';

type UserOfTicket = (ticket: string, params: unknown) => string | undefined;

const userOfTicket = Symbol('halyard.userOfTicket');

/**
 * The config of a stream that also takes a ticket in its query. @param url the pattern of its
 * route, without the prefix of the server.
 */
export function takesTickets(url: string, tickets: StreamTickets): object {
  const userOf: UserOfTicket = (ticket, params) => tickets.userOf(ticket, { url, params });
  return { [userOfTicket]: userOf };
}

/**
 * The ticket of a request to a stream that takes one. `userId` is undefined for an invalid ticket,
 * and '' for nobody.
 */
export function findTicket(request: FastifyRequest): { readonly userId: string | undefined } | undefined {
  const userOf = Reflect.get(request.routeOptions.config, userOfTicket) as UserOfTicket | undefined;
  const { ticket } = request.query as Readonly<Record<string, unknown>>;
  if (userOf === undefined || ticket === undefined) return undefined;
  return { userId: typeof ticket === 'string' ? userOf(ticket, request.params) : undefined };
}
