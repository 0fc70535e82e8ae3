import type { Page } from './define-page.ts';
import type { Route } from './define-route.ts';
import type { Stream } from './define-stream.ts';

/** One entry in the table of contents of the API. */
export type AnyEndpoint = Route | Stream | Page;

/** What the document tells of an endpoint: all but how it works. */
export type EndpointDescription = Omit<Route, 'handler'> | Omit<Stream, 'open'> | Omit<Page, 'handler'>;
