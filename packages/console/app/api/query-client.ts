import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

/** Replies that say that the request is wrong are final; others, such as 503, are tried again. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      retry: (count, error) => count < 3 && !(error instanceof ApiError && error.status < 500 && error.status !== 429),
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 5_000),
    },
    mutations: { retry: false },
  },
});
