import type { Exchange } from './define-exchange.ts';
import type { Page } from './define-page.ts';
import type { Route } from './define-route.ts';
import type { Stream } from './define-stream.ts';

/** One entry in the table of contents of the API. */
export type AnyEndpoint = Route | Stream | Page | Exchange;

/** What the document tells of an endpoint: all but how it works. */
export type EndpointDescription = Omit<Route, 'handler'> | Omit<Stream, 'open'> | Omit<Page, 'handler'>;

/** What the document is made of: it passes over exchanges. */
export type ListedEndpoint = EndpointDescription | Omit<Exchange, 'handler'>;
