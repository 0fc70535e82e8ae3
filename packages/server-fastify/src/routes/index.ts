import type { AnyEndpoint } from '../define/endpoint.ts';
import { documentPages } from './documents.ts';
import { healthPages } from './health.ts';

/** The table of contents of the API. What is registered, documented and guarded comes from here. */
export const endpoints: readonly AnyEndpoint[] = [...documentPages, ...healthPages];
