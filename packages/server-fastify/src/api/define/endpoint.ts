import type { Exchange } from './define-exchange.ts';
import type { Page } from './define-page.ts';
import type { Route } from './define-route.ts';
import type { Stream } from './define-stream.ts';

/** One entry in the table of contents of the API. */
export type AnyEndpoint = Route | Stream | Page | Exchange;

/** An endpoint in the API document, without its handler. */
export type EndpointDescription = Omit<Route, 'handler'> | Omit<Stream, 'handler'> | Omit<Page, 'handler'>;

/** An endpoint that is listed in the API document, which leaves out exchanges. */
export type ListedEndpoint = EndpointDescription | Omit<Exchange, 'handler'>;
